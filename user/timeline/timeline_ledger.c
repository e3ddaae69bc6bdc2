#include "timeline/timeline_ledger.h"

#include <stddef.h>
#include <string.h>

#include "timeline/call_arguments.h"
#include "timeline/task_waits.h"
#include "timeline/timeline_rows.h"

/* Said even if there is none: readers of a timeline rely on it. */
#define LATE_WAKEUPS "wake-ups after the run that they caused: clocks of CPUs disagree"

static const struct outcome {
	size_t field; /* of struct recorded */
	enum ledger_class class;
	const char *why;
	bool chosen; /* by an option */
} outcomes[] = {
	{offsetof(struct recorded, kept), LEDGER_KEPT, "kept", false},
	{offsetof(struct recorded, older), LEDGER_LOST,
	 "older than the last ones, which are kept (--events, --last)", true},
	{offsetof(struct recorded, newer), LEDGER_LOST, "beyond the number that is kept (--events)",
	 true},
	{offsetof(struct recorded, elsewhere), LEDGER_LOST,
	 "not around what --trigger or a signal asked for", true},
	{offsetof(struct recorded, unlooked), LEDGER_LOST,
	 "overwritten before it was known whether --trigger asks for them (--events)", false},
	{offsetof(struct recorded, torn), LEDGER_LOST, "being written when they were read", false},
	{offsetof(struct recorded, unknown), LEDGER_LOST,
	 "of functions that were forgotten when no process had them any more", false},
	{offsetof(struct recorded, foreign), LEDGER_NOTE,
	 "wake-ups by interrupts and other programs: in the length of waits alone", false},
	{offsetof(struct recorded, pieces), LEDGER_NOTE, "arguments, told with their calls", false},
	{offsetof(struct recorded, late), LEDGER_NOTE, LATE_WAKEUPS, false},
	{offsetof(struct recorded, backwards), LEDGER_NOTE,
	 "events that stand before earlier ones of their thread: its clock ran backwards", false},
	{offsetof(struct recorded, unseen), LEDGER_NOTE,
	 "calls whose ends are not seen: in the timeline without a length", false},
};
#define OUTCOMES (sizeof(outcomes) / sizeof(*outcomes))

static uint64_t *outcome_of(const struct recorded *r, const struct outcome *o)
{
	return (uint64_t *)((char *)(uintptr_t)r + o->field);
}

void recorded_add(struct recorded *to, const struct recorded *more)
{
	for (size_t i = 0; i < OUTCOMES; i++)
		*outcome_of(to, &outcomes[i]) += *outcome_of(more, &outcomes[i]);
}

/* Per thread the last place of its events so far: of what it called, and of its switches, which may
 * interrupt a probe that has its time but no place yet. So may its wake-ups, also each other. */
struct last_places {
	struct map by_task; /* → index in serial */
	VEC(uint64_t) serial;
};

/* Whether the thread has had events of later places, though all are in order of time. */
static bool is_backwards(struct last_places *last, const struct wire_event *e)
{
	const bool switches = e->kind == WIRE_EVENT_OUT || e->kind == WIRE_EVENT_IN;
	const uint64_t key = hash_two(task_key(e->pid, e->tid), switches);
	const uint32_t at = map_number(&last->by_task, key, last->serial.n);

	if (e->kind == WIRE_EVENT_WAKEUP)
		return false;
	if (at == last->serial.n)
		vec_push(&last->serial, 0);
	if (e->serial < last->serial.at[at])
		return true;
	last->serial.at[at] = e->serial;
	return false;
}

void recorded_count(struct recorded *r, const recorded_events *events, const bool *known,
		    size_t n_known)
{
	struct last_places last = {0};
	struct task_waits waits = {0};

	vec_each (e, events) {
		const bool named = e->function < n_known && known[e->function];

		r->foreign += e->kind == WIRE_EVENT_WAKEUP && e->flags & WIRE_EVENT_FOREIGN;
		r->pieces += call_arguments_are(e);
		r->unknown += timeline_rows_need_name(e) && !named;
		r->unseen += e->kind == WIRE_EVENT_UNSEEN;
		r->late += task_waits_take(&waits, e).late;
		r->backwards += is_backwards(&last, e);
	}
	task_waits_release(&waits);
	map_release(&last.by_task);
	vec_release(&last.serial);
	r->kept -= r->unknown;
}

void timeline_ledger(uint64_t made, const struct recorded *r, struct profile *p)
{
	profile_ledger(p, LEDGER_EVENTS, LEDGER_TAKEN, "taken", (int64_t)made);
	for (size_t i = 0; i < OUTCOMES; i++) {
		const uint64_t n = *outcome_of(r, &outcomes[i]);

		if (n || outcomes[i].class == LEDGER_KEPT ||
		    outcomes[i].field == offsetof(struct recorded, late))
			profile_ledger(p, LEDGER_EVENTS, outcomes[i].class, outcomes[i].why,
				       (int64_t)n);
	}
}

static bool is_chosen(const char *why)
{
	for (size_t i = 0; i < OUTCOMES; i++)
		if (outcomes[i].chosen && !strcmp(outcomes[i].why, why))
			return true;
	return false;
}

int64_t timeline_left_out(const struct profile *p)
{
	int64_t n = 0;

	vec_each (row, &p->ledger) {
		if (row->metric == LEDGER_EVENTS && row->class == LEDGER_LOST &&
		    is_chosen(profile_text(p, row->name)))
			n += row->count;
	}
	return n;
}

/* What recording took, by what was recorded, in words. */
static const struct {
	uint32_t kind;
	const char *what;
} costs[] = {
	{WIRE_EVENT_ENTRY, "timeline: recording a call"},
	{WIRE_EVENT_EXIT, "timeline: recording a return"},
	{WIRE_EVENT_DROPPED, "timeline: recording the end of a call that does not return"},
	{WIRE_EVENT_HIT, "timeline: recording a free, a throw or a catch"},
	{WIRE_EVENT_OUT, "timeline: recording that a thread leaves a CPU"},
	{WIRE_EVENT_IN, "timeline: recording that a thread comes to a CPU"},
	{WIRE_EVENT_WAKEUP, "timeline: recording a wake-up"},
	{WIRE_EVENT_TEXT, "timeline: recording a piece of a text"},
	{WIRE_EVENT_MEMBER, "timeline: recording a member of a struct"},
};

void timeline_costs(const struct recording *r, struct profile *p)
{
	const struct wire_event_state state = recording_state(r);

	for (size_t i = 0; i < sizeof(costs) / sizeof(*costs); i++) {
		const uint64_t n = state.timed[costs[i].kind];

		if (n)
			profile_price(p, costs[i].what, "ns",
				      (double)state.timed_ns[costs[i].kind] / (double)n);
	}
	profile_cost(p, "timeline: recording all events", "ns", recording_taken_ns(r));
	profile_cost(p, "timeline: memory of the recording", "bytes", (double)r->bytes);
}
