#include "perf/switch_cost.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/vec.h"
#include "confine/capabilities.h"
#include "perf/cpus.h"

/* Round trips of two switches each: so few that most rounds are not disturbed. */
#define TRIPS  20
#define ROUNDS 32

/* In ns of CPU time, each the least of all rounds: what disturbs only adds. */
struct times {
	double of_switch;
	double of_bytes; /* a byte written and read without a switch: by how fast the CPU is now */
};

struct switch_cost {
	int cpu;
	int there[2], back[2]; /* pipes */
	pthread_t partner;
	clockid_t partner_clock;
	_Atomic pid_t partner_tid;
	VEC(int) events;
	struct times before;
};

/* Sends back each byte that comes, until there is none. */
static void *answer(void *data)
{
	struct switch_cost *s = data;
	char byte;

	/* Threads have users and capabilities of their own, and this one needs none. */
	capabilities_drop_thread();
	s->partner_tid = gettid();
	cpus_move(0, s->cpu);
	while (TEMP_FAILURE_RETRY(read(s->there[0], &byte, 1)) == 1 &&
	       TEMP_FAILURE_RETRY(write(s->back[1], &byte, 1)) == 1)
		;
	return NULL;
}

/* Others may run in between, of this process, too. */
static uint64_t cpu_ns(const struct switch_cost *s)
{
	return clock_ns(CLOCK_THREAD_CPUTIME_ID) + clock_ns(s->partner_clock);
}

static bool send_byte(int to, int from)
{
	char byte = 0;

	/* One that is lost is waited for by the other side, for ever. */
	return TEMP_FAILURE_RETRY(write(to, &byte, 1)) == 1 &&
	       TEMP_FAILURE_RETRY(read(from, &byte, 1)) == 1;
}

/* CPU time of both threads for each of @n bytes that are sent from @to and come in by @from. */
static double time_bytes(const struct switch_cost *s, int n, int to, int from)
{
	const uint64_t start_ns = cpu_ns(s);

	for (int i = 0; i < n; i++)
		if (!send_byte(to, from))
			break;
	return (double)(cpu_ns(s) - start_ns) / n;
}

static struct times time_switches(const struct switch_cost *s)
{
	struct times least = {INFINITY, INFINITY};
	cpu_set_t *before = cpus_allowed();

	cpus_move(0, s->cpu);
	for (int i = 0; i < ROUNDS; i++) {
		least.of_switch =
			fmin(least.of_switch, time_bytes(s, TRIPS, s->there[1], s->back[0]) / 2);
		least.of_bytes =
			fmin(least.of_bytes, time_bytes(s, 2 * TRIPS, s->back[1], s->back[0]));
	}
	cpus_return(before);
	return least;
}

static void close_pair(const int pair[2])
{
	for (int i = 0; i < 2; i++)
		if (pair[i] >= 0)
			close(pair[i]);
}

static void release(struct switch_cost *s)
{
	close_pair(s->there);
	close_pair(s->back);
	for (size_t i = 0; i < s->events.n; i++)
		close(s->events.at[i]);
	vec_release(&s->events);
	free(s);
}

struct switch_cost *switch_cost_new(void)
{
	struct switch_cost *s = mem_zalloc(1, sizeof(*s));

	*s = (struct switch_cost){.cpu = sched_getcpu(), .there = {-1, -1}, .back = {-1, -1}};
	if (s->cpu < 0 || pipe2(s->there, O_CLOEXEC) || pipe2(s->back, O_CLOEXEC) ||
	    pthread_create(&s->partner, NULL, answer, s)) {
		release(s);
		return NULL;
	}
	pthread_getcpuclockid(s->partner, &s->partner_clock);
	s->before = time_switches(s);
	return s;
}

void switch_cost_free(struct switch_cost *s)
{
	if (!s)
		return;
	close(s->there[1]);
	s->there[1] = -1;
	pthread_join(s->partner, NULL);
	release(s);
}

static void watch(struct switch_cost *s, const struct event *e, double hz, pid_t tid)
{
	const struct event_where w = {.scope = EVENT_TASK, .id = tid};
	const int fd = event_open(e, hz, &w);

	if (fd < 0)
		return;
	vec_push(&s->events, fd);
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
}

void switch_cost_watch(struct switch_cost *s, const struct event *e, double hz)
{
	if (!s)
		return;
	watch(s, e, hz, 0);
	watch(s, e, hz, s->partner_tid);
}

double switch_cost_grown_ns(struct switch_cost *s)
{
	struct times now;

	now = time_switches(s);
	return fmax(0, now.of_switch - s->before.of_switch * now.of_bytes / s->before.of_bytes);
}
