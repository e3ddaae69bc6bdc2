// cflags: -O2 -fomit-frame-pointer -fno-optimize-sibling-calls
/* zone_killed WAY ROUNDS: ends within calls, in its last round. WAY: kill, segv, abort, trap, exit,
 * quick; thread, by exit() of another thread while the first is within calls. */
#include <pthread.h>
#include <string.h>

#include "zone.h"

static const char *way;

FRAME uint64_t zk_leaf(uint64_t x)
{
	return turns(x, 20);
}

FRAME void *zk_thread(void *unused)
{
	usleep(20000);
	exit(23);
	return unused;
}

FRAME void zk_end(void)
{
	static volatile char *volatile nowhere;
	pthread_t thread;

	fflush(stdout);
	if (!strcmp(way, "kill"))
		kill(getpid(), SIGKILL);
	if (!strcmp(way, "segv"))
		*nowhere = 1;
	if (!strcmp(way, "abort"))
		abort();
	if (!strcmp(way, "trap"))
		__asm__ volatile("int3");
	if (!strcmp(way, "exit"))
		exit(21);
	if (!strcmp(way, "quick"))
		_exit(22);
	pthread_create(&thread, NULL, zk_thread, NULL);
	for (;;)
		zk_leaf(1);
}

FRAME uint64_t zk_down(int depth, int end)
{
	uint64_t x = depth ? zk_down(depth - 1, end) : zk_leaf(end);

	if (end && !depth)
		zk_end();
	return x * 3 + depth;
}

int main(int argc, char **argv)
{
	way = argc > 1 ? argv[1] : "kill";
	rounds_open(argc, argv, 2, 50);
	while (rounds_next())
		rounds_result(zk_down(20, 0));
	rounds_end(1);
	rounds.done++;
	rounds_calls("zk_down", 21);
	if (strcmp(way, "thread"))
		rounds_calls("zk_leaf", 1);
	zk_down(20, 1);
	return 1;
}
