// cflags: -O2 -fomit-frame-pointer -rdynamic -fno-optimize-sibling-calls
/*
 * zone_backtrace ROUNDS: asks for its own stack by backtrace() from 1 to 30 frames down, through
 * libc's qsort, in a thread, and in a signal handler; says how many frames it saw and whose.
 * Status 20.
 */
#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <string.h>

#include "zone.h"

static uint64_t sum;
static int show;

FRAME void zb_look(void)
{
	void *frame[64];
	int n = backtrace(frame, 64);

	sum = sum * 31 + n;
	for (int i = 0; i < n; i++) {
		const char *name = "?";
		Dl_info info;

		if (dladdr(frame[i], &info) && info.dli_sname)
			name = info.dli_sname;
		for (const char *c = name; *c; c++)
			sum = sum * 31 + *c;
		if (show)
			printf("%s%s", i ? " " : "frames ", name);
	}
	if (show)
		printf(" (%d)\n", n);
}

FRAME int zb_down(int depth)
{
	if (depth)
		return zb_down(depth - 1) + 1;
	zb_look();
	return 0;
}

FRAME int zb_compare(const void *a, const void *b)
{
	zb_down(2);
	return *(const int *)a - *(const int *)b;
}

FRAME void zb_handler(int number)
{
	zb_down(number != SIGUSR1);
}

FRAME void *zb_thread(void *unused)
{
	zb_down(3);
	return unused;
}

int main(int argc, char **argv)
{
	rounds_open(argc, argv, 1, 5);
	signal(SIGUSR1, zb_handler);
	while (rounds_next()) {
		int numbers[] = {3, 1, 2};
		pthread_t thread;

		sum = 0;
		show = rounds.done == 1;
		for (int depth = 1; depth <= 30; depth++)
			zb_down(depth);
		qsort(numbers, 3, sizeof(int), zb_compare);
		raise(SIGUSR1);
		pthread_create(&thread, NULL, zb_thread, NULL);
		pthread_join(thread, NULL);
		rounds_result(sum);
	}
	return rounds_end(20);
}
