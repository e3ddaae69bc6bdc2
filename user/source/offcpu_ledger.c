#include "source/offcpu_ledger.h"

#define VALUES (WIRE_OFF_BLOCKED | WIRE_OFF_RUNNABLE)

static const struct {
	enum wire_off_counter counter;
	enum ledger_class class;
	const char *name;
} outcomes[] = {
	{WIRE_OFF_WAITS, LEDGER_KEPT, "kept: measured when they ended"},
	{WIRE_OFF_OPEN, LEDGER_KEPT, "kept: still going on at the end, measured up to it"},
	{WIRE_OFF_ENDED, LEDGER_KEPT, "a thread's exit: no wait follows"},
	{WIRE_OFF_LOST_STORAGE, LEDGER_LOST, "no memory for the thread's account"},
};

uint64_t offcpu_counter(struct session *session, enum wire_off_counter what)
{
	return session_map_value(session, "offcpu_counters", what);
}

bool offcpu_adds_up(struct session *session)
{
	uint64_t known = 0;

	for (size_t i = 0; i < sizeof(outcomes) / sizeof(*outcomes); i++)
		known += offcpu_counter(session, outcomes[i].counter);
	return offcpu_counter(session, WIRE_OFF_SEEN) == known;
}

/* Sums over all streams whose samples have @value. */
static void counters_of(struct session *session, enum wire_off_value value,
			uint64_t out[WIRE_COUNTERS])
{
	for (size_t c = 0; c < WIRE_COUNTERS; c++)
		out[c] = 0;
	for (uint32_t values = 1; values <= VALUES; values++) {
		uint64_t counters[WIRE_COUNTERS];

		if (!(values & value) ||
		    session_counters(session, WIRE_OFF_STREAM(values), counters))
			continue;
		for (size_t c = 0; c < WIRE_COUNTERS; c++)
			out[c] += counters[c];
	}
}

void offcpu_ledger(struct profile *p, const struct ledger_input *in, uint32_t metric,
		   enum wire_off_value value, uint64_t dropped)
{
	uint64_t counters[WIRE_COUNTERS];

	counters_of(in->session, value, counters);
	ledger_outcomes(p, metric, counters, in->running);
	ledger_slices(p, metric, counters, dropped);
}

static void add_row(struct profile *p, enum ledger_class class, const char *name, uint64_t n)
{
	if (n)
		profile_ledger(p, LEDGER_WAITS, class, name, (int64_t)n);
}

void offcpu_ledger_waits(struct profile *p, const struct ledger_input *in, uint32_t stuck)
{
	uint64_t seen, known = 0;

	/* Reads the outcomes before the total, which grows meanwhile. */
	for (size_t i = 0; i < sizeof(outcomes) / sizeof(*outcomes); i++) {
		const uint64_t n = offcpu_counter(in->session, outcomes[i].counter);

		add_row(p, outcomes[i].class, outcomes[i].name, n);
		known += n;
	}
	seen = offcpu_counter(in->session, WIRE_OFF_SEEN);
	/* Waits that go on belong to a later window. */
	if (in->running)
		seen = known;
	if (seen > known)
		add_row(p, LEDGER_LOST, "unaccounted", seen - known);
	profile_ledger(p, LEDGER_WAITS, LEDGER_TAKEN, "taken: times that a thread left a CPU",
		       (int64_t)(seen > known ? seen : known));
	add_row(p, LEDGER_NOTE,
		"counted as blocked: this kernel does not say how long they were runnable",
		offcpu_counter(in->session, WIRE_OFF_NOTE_UNSPLIT));
	add_row(p, LEDGER_NOTE, "totals of a thread lost, ring full",
		offcpu_counter(in->session, WIRE_OFF_LOST_THREAD));
	add_row(p, LEDGER_NOTE, "stack of a waiting thread not read: its memory did not answer",
		stuck);
}

void offcpu_sums(struct profile *p, const struct ledger_input *in)
{
	profile_cost(p, "target's time blocked", "ns",
		     (double)offcpu_counter(in->session, WIRE_OFF_BLOCKED_NS));
	profile_cost(p, "target's time ready without a CPU", "ns",
		     (double)offcpu_counter(in->session, WIRE_OFF_RUNNABLE_NS));
	profile_cost(p, "of both, in waits still going on at the end", "ns",
		     (double)offcpu_counter(in->session, WIRE_OFF_OPEN_NS));
}
