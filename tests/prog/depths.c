/*
 * depths: threads d000, d001, … that nap at one place in the code (d_nap), each at a stack depth of
 * its own, as the same code is called from many. Prints "NAME TID" of each.
 */
#include <alloca.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "prog.h"

#define THREADS 200 /* of which each needs 16 bytes of one page */
#define NAPS	100
#define NAP_NS	60000

static pthread_barrier_t all_there;

FRAME void d_nap(void)
{
	const struct timespec span = {.tv_nsec = NAP_NS};

	clock_nanosleep(CLOCK_MONOTONIC, 0, &span, NULL);
	__asm__ volatile(""); /* no tail call */
}

FRAME void d_all(int depth)
{
	char *room = alloca(16 * (size_t)depth + 16);

	__asm__ volatile("" ::"r"(room) : "memory");
	for (int i = 0; i < NAPS; i++)
		d_nap();
	__asm__ volatile("");
}

static void *run(void *number)
{
	const int depth = (int)(intptr_t)number;
	char name[16];

	snprintf(name, sizeof(name), "d%03d", depth);
	prctl(PR_SET_NAME, name);
	printf("%s %ld\n", name, syscall(SYS_gettid));
	pthread_barrier_wait(&all_there);
	d_all(depth);
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];

	pthread_barrier_init(&all_there, NULL, THREADS);
	for (intptr_t i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, run, (void *)i))
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
