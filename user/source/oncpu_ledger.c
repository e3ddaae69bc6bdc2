#include "source/oncpu_ledger.h"

#include <math.h>

/* The target's time on CPUs by the scheduler's account, in periods, less the ticks that hit it.
 * Events that follow a task miss what each thread ran after its last tick; all miss ticks that the
 * kernel throttled or the virtual machine's host took. Ticks of CPUs hit the target by chance, so
 * there may also be more of them than periods. */
static void add_uncovered(struct profile *p, const struct ledger_input *in,
			  const struct oncpu_event *e, const uint64_t counters[WIRE_COUNTERS])
{
	uint64_t ran_ns;
	double periods;

	if (!e->is->clock || !session_ran(in->session, &ran_ns))
		return;
	periods = round((double)ran_ns * e->hz / 1e9) -
		  (double)(counters[WIRE_TAKEN] + counters[WIRE_OTHER_MODE]);
	if (periods > 0)
		profile_ledger(p, e->metric, LEDGER_APART,
			       session_has_programs(in->session)
				       ? "ran between ticks, never sampled"
				       : "ran in the kernel, which needs privileges to sample, or "
					 "between ticks",
			       (int64_t)periods);
	if (periods < 0)
		profile_ledger(p, e->metric, LEDGER_APART,
			       "ticks beyond the exact CPU time (sampling error)",
			       (int64_t)-periods);
}

/* Ticks in the mode (user or kernel) that is not sampled. */
static void add_other_mode(struct profile *p, const struct oncpu_event *e,
			   const uint64_t counters[WIRE_COUNTERS])
{
	if (counters[WIRE_OTHER_MODE])
		profile_ledger(p, e->metric, LEDGER_APART,
			       e->is->exclude_user ? "in user mode, which :k leaves out"
						   : "in the kernel, which :u leaves out",
			       (int64_t)counters[WIRE_OTHER_MODE]);
}

void oncpu_ledger(struct profile *p, const struct ledger_input *in, const struct oncpu_event *e)
{
	uint64_t counters[WIRE_COUNTERS];

	if (session_counters(in->session, e->number, counters))
		return;
	ledger_outcomes(p, e->metric, counters, in->running);
	add_other_mode(p, e, counters);
	ledger_slices(p, e->metric, counters, e->dropped);
	add_uncovered(p, in, e, counters);
}

/* --- totals of events of which the programs see each hit ----------------------------------------
 */

static void add_row(struct profile *p, uint32_t metric, const char *name, int64_t n)
{
	if (n > 0)
		profile_ledger(p, metric, LEDGER_APART, name, n);
}

/* The last sample of @metric at @time_ns; if that was lost, the last of all; SIZE_MAX: none. */
static size_t find_sample(const struct profile *p, uint32_t metric, uint64_t time_ns)
{
	const profile_values *values = &p->samples.values.at[metric];
	size_t last = SIZE_MAX;

	for (size_t i = p->samples.n; i-- > 0;) {
		if (!values->at[i])
			continue;
		if (p->samples.at[i].time_ns == time_ns)
			return i;
		last = last == SIZE_MAX ? i : last;
	}
	return last;
}

/* A CPU's last sample stands for the hits after it, too, which are less than a step. Returns how
 * many hits found no such sample. */
static uint64_t add_remainder(struct profile *p, const struct ledger_input *in, uint32_t metric,
			      const struct wire_step *s)
{
	uint64_t time_ns = s->last_ns > in->start_ns ? s->last_ns - in->start_ns : 0;
	size_t at = s->since ? find_sample(p, metric, time_ns) : SIZE_MAX;

	if (at == SIZE_MAX)
		return s->since;
	p->samples.values.at[metric].at[at] += (int64_t)s->since;
	return 0;
}

/* Sum over the samples of the profile and of the windows before it. */
static int64_t sum_of(const struct profile *p, const struct ledger_past *past, uint32_t metric)
{
	int64_t sum = past->sums[metric % LEDGER_METRICS];

	for (size_t i = 0; i < p->samples.n; i++)
		sum += p->samples.values.at[metric].at[i];
	return sum;
}

void paced_totals(struct profile *p, const struct ledger_input *in, const struct paced *s)
{
	uint64_t seen = 0, since = 0, counted;
	session_step_list steps = {0};

	if (session_steps(in->session, s->stream, &steps))
		return;
	for (size_t i = 0; i < steps.n; i++) {
		const struct wire_step *step = &steps.at[i];

		seen += step->seen;
		/* While the capture goes on, the next sample will stand for them. */
		since += s->every || in->running ? step->since
						 : add_remainder(p, in, s->metric, step);
	}
	vec_release(&steps);
	counted = s->counted > seen ? s->counted : seen;
	add_row(p, s->metric, LEDGER_ALL, (int64_t)counted);
	add_row(p, s->metric, "behind the last sample of a CPU", (int64_t)since);
	add_row(p, s->metric, "amid a BPF program: counted, not seen", (int64_t)(counted - seen));
	if (!in->running)
		add_row(p, s->metric, "that lost samples stand for",
			(int64_t)(seen - since) - sum_of(p, in->past, s->metric));
}

/* The target's hits by the kernel's own counter, if it counts the target alone; else 0. */
static uint64_t count_of(const struct ledger_input *in, const struct oncpu_event *e)
{
	uint64_t counters[WIRE_COUNTERS], all;

	if (!e->is->counted || session_filters(in->session, e->number) ||
	    session_counters(in->session, e->number, counters))
		return 0;
	all = session_count(in->session, e->number);
	return all > counters[WIRE_OWN] ? all - counters[WIRE_OWN] : 0;
}

void oncpu_totals(struct profile *p, const struct ledger_input *in, const struct oncpu_event *e)
{
	const struct paced s = {.stream = (uint32_t)e->number,
				.metric = e->metric,
				.every = e->is->every,
				.counted = event_is_stepped(e->is) ? count_of(in, e) : 0};

	if (event_is_stepped(e->is))
		paced_totals(p, in, &s);
	if (e->is->class == EVENT_TRACEPOINT)
		add_row(p, e->metric, "amid a BPF program, not seen, by any process",
			(int64_t)session_missed(in->session, e->number));
}
