#include "perf/tick_cost.h"

#include <math.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "perf/cpus.h"
#include "perf/drift.h"

/* The lowest tick rate of a round, and its limits in time and number. If the capture's rate is
 * higher, ticks follow each other closely, which makes them cheaper. */
#define LEAST_HZ 19999
#define ROUND_NS 2000000
#define MOST	 10
/* Fewest ticks that count. A tick that takes this many times what the quickest quarter takes was
 * disturbed: another thread had the CPU, or the host. */
#define FEWEST	  2
#define DISTURBED 3
/* CPU time that rounds may take in even the shortest capture; below LOW_HZ, where samples cost
 * little anyway, a quarter of it, and rounds are rarer later on. */
#define FREE_NS 2000000
#define LOW_HZ	1000
#define THRIFT	4

struct tick_cost {
	struct event event;
	double hz;
	struct tick_program program;
	int fd; /* an event of the measuring thread, stopped between rounds; -1: not opened yet */
	bool unknown;	      /* it cannot be opened */
	struct fair *samples; /* by CPU */
	struct drift drift;   /* ns, over the number of samples */
	uint64_t start_ns, due_ns, spent_ns;
	unsigned thrift;
};

struct tick_cost *tick_cost_new(const struct event *e, double hz,
				const struct tick_program *program, int cpus)
{
	struct tick_cost *t;

	if (program->fd < 0 || !event_is_timed(e))
		return NULL;
	t = mem_zalloc(1, sizeof(*t));
	/* What an event excludes still interrupts, whatever its period. */
	t->event = *e;
	t->event.exclude_user = t->event.exclude_kernel = false;
	t->event.every = 0;
	t->hz = hz;
	t->program = *program;
	t->fd = -1;
	t->thrift = hz < LOW_HZ ? THRIFT : 1;
	t->samples = fair_new(cpus);
	t->start_ns = clock_ns(CLOCK_MONOTONIC);
	return t;
}

void tick_cost_free(struct tick_cost *t)
{
	if (!t)
		return;
	if (t->fd >= 0)
		close(t->fd);
	fair_free(t->samples);
	free(t);
}

/* Measures the ticks that arrive during a round; returns how many, at most MOST. */
static int time_ticks(const struct tick_cost *t, double *took)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC), end = now + ROUND_NS, before = now;
	uint32_t count = *t->program.count;
	int n = 0;

	while (now < end && n < MOST) {
		now = clock_ns(CLOCK_MONOTONIC);
		if (*t->program.count == count) {
			before = now;
			continue;
		}
		/* It arrived before the count was read, perhaps after the clock was. */
		now = clock_ns(CLOCK_MONOTONIC);
		took[n++] = (double)(now - before) / (*t->program.count - count);
		before = now;
		count = *t->program.count;
	}
	return n;
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static double mean_of(double *took, int n)
{
	double sum = 0;
	int taken = 0;

	qsort(took, (size_t)n, sizeof(*took), by_value);
	while (taken < n && took[taken] <= DISTURBED * took[n / 4])
		sum += took[taken++];
	return sum / taken;
}

static void time_round(struct tick_cost *t)
{
	double took[MOST];
	int n;

	if (ioctl(t->fd, PERF_EVENT_IOC_ENABLE, 0))
		return;
	n = time_ticks(t, took);
	ioctl(t->fd, PERF_EVENT_IOC_DISABLE, 0);
	if (n >= FEWEST)
		drift_add(&t->drift, fair_sum(t->samples), mean_of(took, n));
}

/* Opened only when there is something to time: for the machine's first task event the kernel waits
 * for all CPUs, some 10 ms. */
static bool is_open(struct tick_cost *t)
{
	const struct event_where here = {.scope = EVENT_TASK};

	if (t->fd >= 0 || t->unknown)
		return t->fd >= 0;
	t->fd = event_open(&t->event, fmin(fmax(t->hz, LEAST_HZ), (double)event_max_hz()), &here);
	t->unknown = t->fd < 0;
	if (t->fd >= 0 && ioctl(t->fd, PERF_EVENT_IOC_SET_BPF, t->program.fd)) {
		close(t->fd);
		t->fd = -1;
		t->unknown = true;
	}
	return t->fd >= 0;
}

static void round_on(struct tick_cost *t, const uint64_t *samples)
{
	uint64_t start_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	int cpu = fair_turn(t->samples, samples);
	cpu_set_t *before;

	if (cpu < 0 || !is_open(t))
		return;
	before = cpus_allowed();
	cpus_move(0, cpu);
	time_round(t);
	cpus_return(before);
	t->spent_ns += clock_ns(CLOCK_THREAD_CPUTIME_ID) - start_ns;
}

void tick_cost_round(struct tick_cost *t, const uint64_t *samples)
{
	uint64_t elapsed_ns = clock_ns(CLOCK_MONOTONIC) - t->start_ns;

	if (elapsed_ns < t->due_ns)
		return;
	round_on(t, samples);
	t->due_ns = drift_due_ns(elapsed_ns, t->thrift * t->spent_ns + DRIFT_FREE_NS - FREE_NS);
}

void tick_cost_last_round(struct tick_cost *t, const uint64_t *samples)
{
	if (!t->drift.begun)
		round_on(t, samples);
}

double tick_cost_ns(const struct tick_cost *t)
{
	return t && t->drift.begun ? drift_mean(&t->drift, fair_sum(t->samples)) : 0;
}
