#include "load/sampling.h"

/* Beyond this many threads, one event per thread costs more files than one event per CPU costs
 * interrupts. */
#define MAX_TASK_EVENTS 2048

/* Threads of -p beyond which their unfinished periods, half a period each on average, add up to
 * more than sampling may miss in the first second. Opening an event for each of them, while they
 * keep the CPUs busy, takes longer than that. */
#define MANY_THREADS 64

/* At most 0.4 % of each CPU if an interrupt takes 2 µs. */
#define CHEAP_HZ 2000

/* Unfinished periods at the end of as many threads that may be due to chance. */
#define OPEN_PERIODS 5
#define SHORT_SHARE  0.02

bool sampling_by_cpu_is_cheap(double hz)
{
	return hz <= CHEAP_HZ;
}

static size_t count_threads(const struct target *t)
{
	target_tids tids = {0};
	size_t n;

	for (size_t i = 0; i < t->pids.n; i++)
		(void)target_threads(t->pids.at[i], &tids);
	n = tids.n;
	vec_release(&tids);
	return n;
}

static struct sampling choose_for_pids(const struct sampling_options *o)
{
	size_t threads = count_threads(o->target);
	bool too_many = threads * o->n_events > MAX_TASK_EVENTS;
	bool many =
		(threads > MANY_THREADS || o->spares_switches) && sampling_by_cpu_is_cheap(o->hz);

	return (struct sampling){.time = too_many || many ? SAMPLER_CPU : SAMPLER_TASK,
				 .counts = too_many ? SAMPLER_CPU : SAMPLER_TASK};
}

struct sampling sampling_choose(const struct sampling_options *o)
{
	bool cheap = sampling_by_cpu_is_cheap(o->hz);

	switch (o->target->kind) {
	case TARGET_TID:
		return (struct sampling){SAMPLER_TASK, SAMPLER_TASK};
	case TARGET_PIDS:
	case TARGET_COMMAND:
		break;
	default:
		return (struct sampling){SAMPLER_CPU, SAMPLER_CPU};
	}
	if (o->asked != SAMPLER_AUTO)
		return (struct sampling){o->asked, o->asked};
	if (o->target->kind == TARGET_PIDS)
		return choose_for_pids(o);
	return (struct sampling){cheap ? SAMPLER_CPU : SAMPLER_TASK, SAMPLER_TASK};
}

bool sampling_falls_short(const struct coverage *c)
{
	double missing = c->ran_ns - c->sampled_ns;

	return missing > OPEN_PERIODS * c->period_ns && missing > SHORT_SHARE * c->ran_ns;
}
