#include "source/ledger.h"

#include "wire_script.h"

static const struct {
	enum wire_counter counter;
	enum ledger_class class;
	const char *name;
} rows[] = {
	{WIRE_LOST_RING, LEDGER_LOST, "ring full"},
	{WIRE_LOST_COLLISION, LEDGER_LOST, "stack hash collision"},
	{WIRE_LOST_STACK, LEDGER_LOST, "no stack"},
	{WIRE_LOST_SCRATCH, LEDGER_LOST, "samples nested too deeply on one CPU"},
	{WIRE_NOTE_RESENT, LEDGER_NOTE, "stack sent again: stack table full"},
	{WIRE_NOTE_RULE, LEDGER_NOTE,
	 "stacks unwound in user space (rule beyond the in-kernel tables)"},
	{WIRE_NOTE_EXEC, LEDGER_NOTE, "taken during exec (no user stack)"},
	{WIRE_NOTE_NO_SLICE, LEDGER_NOTE, "stack truncated: no room to send it to user space"},
	{WIRE_NOTE_SCRIPT + WIRE_SCRIPT_CUT - 1, LEDGER_NOTE, "script frames torn, some missing"},
	{WIRE_NOTE_SCRIPT + WIRE_SCRIPT_SOME_UNREAD - 1, LEDGER_NOTE,
	 "script frames whole, some unread"},
	{WIRE_NOTE_SCRIPT + WIRE_SCRIPT_NO_STATE - 1, LEDGER_NOTE,
	 "no script frames: the thread runs no script"},
	{WIRE_NOTE_SCRIPT + WIRE_SCRIPT_LATE - 1, LEDGER_NOTE,
	 "no script frames yet: the interpreter was not known"},
	{WIRE_NOTE_SCRIPT + WIRE_SCRIPT_REFUSED - 1, LEDGER_NOTE,
	 "no script frames: the interpreter's version is unknown"},
	{WIRE_NOTE_ASYNC + WIRE_ASYNC_CUT - 1, LEDGER_NOTE, "awaiting tasks, some missing"},
	{WIRE_NOTE_ASYNC + WIRE_ASYNC_UNKNOWN - 1, LEDGER_NOTE,
	 "no awaiting tasks: --async needs Python 3.14"},
	{WIRE_OWN, LEDGER_APART, "eprof's own work"},
};

void ledger_outcomes(struct profile *p, uint32_t metric, const uint64_t counters[WIRE_COUNTERS],
		     bool running)
{
	uint64_t outcomes = counters[WIRE_KEPT] + counters[WIRE_LOST_RING] +
			    counters[WIRE_LOST_COLLISION] + counters[WIRE_LOST_STACK] +
			    counters[WIRE_LOST_SCRATCH];
	/* Hits that are being handled belong to the next window. */
	uint64_t taken =
		counters[WIRE_TAKEN] > outcomes && !running ? counters[WIRE_TAKEN] : outcomes;

	profile_ledger(p, metric, LEDGER_TAKEN, "taken", (int64_t)taken);
	profile_ledger(p, metric, LEDGER_KEPT, "kept", (int64_t)counters[WIRE_KEPT]);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (counters[rows[i].counter])
			profile_ledger(p, metric, rows[i].class, rows[i].name,
				       (int64_t)counters[rows[i].counter]);
	if (counters[WIRE_NOTE_SCRIPT + WIRE_SCRIPT_WHOLE - 1])
		profile_cost(p, "stacks with all frames of their script", "stacks",
			     (double)counters[WIRE_NOTE_SCRIPT + WIRE_SCRIPT_WHOLE - 1]);
	if (counters[WIRE_NOTE_ASYNC + WIRE_ASYNC_WHOLE - 1])
		profile_cost(p, "stacks of tasks with all that await them", "stacks",
			     (double)counters[WIRE_NOTE_ASYNC + WIRE_ASYNC_WHOLE - 1]);
	/* There are none once the programs have ended; if there are, show them rather than hide
	 * them. */
	if (taken > outcomes)
		profile_ledger(p, metric, LEDGER_LOST, "unaccounted", (int64_t)(taken - outcomes));
}

uint64_t ledger_lost(struct session *session, size_t first, size_t n)
{
	uint64_t counters[WIRE_COUNTERS], lost = 0;

	for (size_t i = first; i < first + n; i++)
		if (!session_counters(session, i, counters))
			lost += counters[WIRE_TAKEN] - counters[WIRE_KEPT];
	return lost;
}

void ledger_slices(struct profile *p, uint32_t metric, const uint64_t counters[WIRE_COUNTERS],
		   uint64_t dropped)
{
	int64_t rest = (int64_t)(counters[WIRE_NOTE_SLICE] - dropped);

	if (rest > 0)
		profile_ledger(p, metric, LEDGER_NOTE,
			       "stacks unwound in user space (no unwind table yet)", rest);
	if (dropped)
		profile_ledger(
			p, metric, LEDGER_NOTE,
			"stacks unwound in user space (its table was dropped to save memory)",
			(int64_t)dropped);
}

int64_t ledger_samples(const struct profile *p, uint32_t metric)
{
	int64_t n = 0;

	for (size_t i = 0; i < p->samples.n; i++)
		n += p->samples.values.at[metric].at[i] != 0;
	return n;
}
