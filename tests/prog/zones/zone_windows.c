/*
 * zone_windows CALLS: calls of three kinds, for captures of many windows. Two threads call zw_fast
 * as fast as they can, CALLS times each. Meanwhile the first thread sleeps in zw_nap for 400 ms
 * four times, then 1 ms a call for 5 s, and before both in zw_across once for 1.7 s. It says
 * "zw_fast=N zw_nap=N zw_across=1" at the end, and then waits to be killed: all windows with its
 * calls are written by then.
 */
#include <pthread.h>

#include "prog.h"

static long calls;

/* A no-operation at its start makes for the cheapest probe: some machines call it a million times a
 * second then. */
FRAME __attribute__((patchable_function_entry(1))) uint64_t zw_fast(uint64_t x)
{
	return turns(x, 4);
}

static FRAME void sleep_ms(long ms)
{
	const struct timespec t = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&t, NULL);
}

FRAME int zw_nap(long ms)
{
	sleep_ms(ms);
	return 1;
}

FRAME int zw_across(void)
{
	sleep_ms(1700);
	return 1;
}

static void *call_fast(void *x)
{
	uint64_t sum = (uintptr_t)x;

	for (long i = 0; i < calls; i++)
		sum = zw_fast(sum);
	return (void *)(uintptr_t)(sum | 1);
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	double end;
	long naps = 0;
	int across;

	calls = arg(argc, argv, 1, 100000);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, call_fast, (void *)(intptr_t)i);
	across = zw_across();
	for (int i = 0; i < 4; i++)
		naps += zw_nap(400);
	for (end = now_s() + 5; now_s() < end;)
		naps += zw_nap(1);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	printf("zw_fast=%ld zw_nap=%ld zw_across=%d\n", 2 * calls, naps, across);
	fflush(stdout);
	/* For the capture to write a few more windows. */
	sleep(120);
	return 0;
}
