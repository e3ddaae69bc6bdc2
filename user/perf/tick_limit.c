#include "perf/tick_limit.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"

/* Up to this rate users get what they ask for: interrupts of 25 µs leave half of a CPU. */
#define SAFE_HZ	 20000.0
#define MOST_OF	 (1 / 3.0)
#define ROUND_NS 1000000
#define ROUNDS	 7

/* How often the clock can be read in a round. */
static double reads_in_round(void)
{
	const uint64_t end = clock_ns(CLOCK_MONOTONIC) + ROUND_NS;
	double n = 0;

	while (clock_ns(CLOCK_MONOTONIC) < end)
		n++;
	return n;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* The share of a CPU that interrupts at SAFE_HZ leave, each round beside one without them; the
 * median, as other threads and the host disturb rounds. */
static double left_beside(int fd)
{
	double left[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		const double alone = reads_in_round();

		if (ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
			return 1;
		left[i] = alone > 0 ? reads_in_round() / alone : 1;
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	}
	qsort(left, ROUNDS, sizeof(*left), by_value);
	return left[ROUNDS / 2];
}

double tick_limit_hz(const struct event *e, double hz, double *took_ns)
{
	const struct event_where here = {.scope = EVENT_TASK};
	struct event clock = *e;
	double taken;
	int fd;

	*took_ns = 0;
	if (!e->clock || e->every || hz <= SAFE_HZ)
		return hz;
	clock.exclude_user = clock.exclude_kernel = false;
	fd = event_open(&clock, SAFE_HZ, &here);
	if (fd < 0)
		fd = event_open(e, SAFE_HZ, &here);
	if (fd < 0)
		return hz;
	taken = 1 - left_beside(fd);
	close(fd);
	if (taken <= 0)
		return hz;
	*took_ns = taken / SAFE_HZ * 1e9;
	/* Where each takes 50 µs, as on some virtual machines, that is less than SAFE_HZ. */
	return hz * taken / SAFE_HZ <= MOST_OF ? hz : SAFE_HZ * MOST_OF / taken;
}
