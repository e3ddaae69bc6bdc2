/* sleeper SECONDS: asleep all the time, so that there is next to nothing to sample: at least
 * SECONDS, and then until what it ran, its start too, is 1/400 of that, however slow the machine
 * is. */
#include "prog.h"

#include <time.h>

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	const double start = now(CLOCK_MONOTONIC);

	usleep(1e6 * arg(argc, argv, 1, 1));
	while (now(CLOCK_MONOTONIC) - start < 400 * now(CLOCK_PROCESS_CPUTIME_ID))
		usleep(200000);
	printf("pid=%d\n", getpid());
	return 0;
}
