#include "source/oncpu_ledger.h"

#include <math.h>

/*
 * The scheduler's account of the target's time on CPUs, in periods, less the ticks that hit it:
 * what the ledger lacks to add up to all that ran. Events of tasks miss what each thread ran after
 * its last tick; all miss ticks that the kernel throttled or the machine's host took, and those of
 * CPUs are spread by chance: then there may be more of them, too.
 */
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
		profile_ledger(
			p, e->metric, LEDGER_APART,
			session_has_programs(in->session)
				? "on a CPU, but hit by no tick"
				: "in the kernel, which takes rights to see, or hit by no tick",
			(int64_t)periods);
	if (periods < 0)
		profile_ledger(p, e->metric, LEDGER_APART,
			       "ticks by chance beyond the time on CPUs", (int64_t)-periods);
}

/* Ticks in the mode that was not asked for. */
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
