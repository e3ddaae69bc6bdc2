/*
 * split SECONDS THREADS [ROUNDS]: each thread spends 70, 20 and 10 % of its time in f70, f20
 * and f10. The shares are counts of one and the same inner loop, so no clock is involved. With
 * ROUNDS the work is fixed instead of the time.
 */
#include <pthread.h>
#include <sys/prctl.h>

#include "prog.h"

static double seconds;
static uint64_t fixed_rounds;

struct lane {
	pthread_t thread;
	int number;
	uint64_t rounds, units; /* units: turns of f10, a tenth of all */
};

FRAME uint64_t f70(uint64_t x, uint64_t n)
{
	return turns(x, 7 * n);
}

FRAME uint64_t f20(uint64_t x, uint64_t n)
{
	return turns(x, 2 * n);
}

FRAME uint64_t f10(uint64_t x, uint64_t n)
{
	return turns(x, n);
}

FRAME void *lane(void *data)
{
	struct lane *l = data;
	double end = cpu_s() + seconds;
	uint64_t x = l->number, units = 0, r = 0;
	char name[16];

	snprintf(name, sizeof(name), "lane-%d", l->number);
	if (l->number)
		prctl(PR_SET_NAME, name);
	for (; fixed_rounds ? r < fixed_rounds : cpu_s() < end; r++) {
		/* Some 25 ms: many periods of a sampler, so that chance has little say in the
		 * shares; and no two rounds alike, so that no rate can beat with them. */
		uint64_t n = 1000000 + x % 1000000;

		x = f70(x, n);
		x = f20(x, n);
		x = f10(x, n);
		units += n;
	}
	l->rounds = r;
	l->units = units;
	return NULL;
}

int main(int argc, char **argv)
{
	struct lane lanes[64] = {0};
	int threads = arg(argc, argv, 2, 1);

	seconds = arg(argc, argv, 1, 10);
	fixed_rounds = arg(argc, argv, 3, 0);
	if (threads < 1 || threads > 64)
		return 2;
	for (int i = 1; i < threads; i++) {
		lanes[i].number = i;
		pthread_create(&lanes[i].thread, NULL, lane, &lanes[i]);
	}
	lane(&lanes[0]);
	for (int i = 1; i < threads; i++)
		pthread_join(lanes[i].thread, NULL);
	for (int i = 0; i < threads; i++)
		printf("pid=%d lane=%d rounds=%lu f70=%lu f20=%lu f10=%lu\n", getpid(), i,
		       lanes[i].rounds, 7 * lanes[i].units, 2 * lanes[i].units, lanes[i].units);
	return 0;
}
