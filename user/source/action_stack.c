/*
 * action_stack: the calls of a function as samples, with their stacks: who calls it.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/units.h"
#include "perf/event.h"
#include "probe/engine.h"
#include "source/action.h"
#include "source/oncpu_ledger.h"
#include "book/samplebook.h"

extern const struct action stack_action;

#define STREAM WIRE_PROBE_STREAM_stack

struct stacks {
	struct samplebook book;
	const struct engine_options *o;
	struct session *session;
	uint32_t metric; /* of the profile under way */
};

static void *stacks_new(const void *engine)
{
	const struct engine *e = engine;
	struct stacks *s = mem_zalloc(1, sizeof(*s));

	s->o = e->in.o;
	samplebook_init(&s->book, STREAM, 1);
	return s;
}

static void stacks_free(void *state)
{
	struct stacks *s = state;

	if (s)
		samplebook_release(&s->book);
	free(s);
}

static void captures(const void *options, double hz, struct str *out)
{
	const struct engine_options *o = options;

	(void)hz;
	if (o->every > 1)
		str_addf(out, "calls, every %" PRIu64 "%s", o->every, units_ordinal(o->every));
	else if (o->every)
		str_add(out, "calls, every one");
	else
		str_addf(out, "calls, up to %s a second on a CPU", count_text(EVENT_COUNTED_HZ));
}

static void request(void *state, struct session_options *out)
{
	const struct stacks *s = state;

	vec_push(&out->paces,
		 ((struct session_pace){STREAM, session_pace(s->o->every, EVENT_COUNTED_HZ)}));
}

static void begin(void *state, const struct source_services *services)
{
	struct stacks *s = state;

	s->session = services->session;
}

static void take(void *state, const void *record, struct stackbook *stacks, struct procs *procs)
{
	const struct wire_sample *w = record;
	struct stacks *s = state;

	samplebook_add(&s->book, w, 0, stackbook_find(stacks, w->user_hash), stacks, procs);
}

static void take_slice(void *state, const struct source_slice *slice, struct stackbook *stacks,
		       struct procs *procs)
{
	struct stacks *s = state;

	samplebook_add_slice(&s->book, slice, 0, stacks, procs);
}

static void progress(const void *state, struct str *out)
{
	const struct stacks *s = state;
	char n[UNITS_BUF];

	str_addf(out, "%s samples of calls  ",
		 units_count(n, sizeof(n), (int64_t)samplebook_count(&s->book)));
}

static void metrics(void *state, struct profile *p)
{
	struct stacks *s = state;

	s->metric = profile_metric(p, "calls", "events", METRIC_COUNT);
}

static uint64_t lost(const void *state)
{
	const struct stacks *s = state;

	return ledger_lost(s->session, STREAM, 1);
}

static void account(const void *state, struct profile *p, const struct ledger_input *in)
{
	const struct stacks *s = state;
	uint64_t counters[WIRE_COUNTERS];

	if (session_counters(in->session, STREAM, counters))
		return;
	ledger_outcomes(p, s->metric, counters, in->running);
	ledger_slices(p, s->metric, counters, samplebook_dropped(&s->book, 1));
}

static void finish(const void *state, struct assembly *a)
{
	const struct stacks *s = state;
	_free_ int64_t *values = mem_zalloc(a->p->metrics.n, sizeof(*values));

	for (size_t i = 0; i < s->book.rows.n; i++) {
		values[s->metric] = (int64_t)s->book.rows.at[i].weight;
		samplebook_put(&s->book, &s->book.rows.at[i], a, values);
	}
	samplebook_tally(&s->book, a);
	samplebook_notes(&s->book, a, s->metric, 1);
}

static void reconcile(const void *state, struct profile *p, const struct ledger_input *in)
{
	const struct stacks *s = state;

	paced_totals(p, in,
		     &(struct paced){.stream = STREAM, .metric = s->metric, .every = s->o->every});
}

static void taken(const void *state, const struct profile *p, struct taken *sum)
{
	const struct stacks *s = state;
	uint64_t counters[WIRE_COUNTERS];

	/* While the capture runs, the governor has it in the price of a call. */
	if (p && !session_counters(s->session, STREAM, counters))
		TAKEN_RUN(sum, (double)counters[WIRE_RUN_NS]);
}

static void total(const void *state, const struct profile *p, struct str *out)
{
	const struct stacks *s = state;
	const profile_values *values = &p->samples.values.at[s->metric];
	int64_t calls = 0;

	for (size_t i = 0; i < values->n; i++)
		calls += values->at[i];
	str_addf(out, "%s samples of %s calls", count_text(ledger_samples(p, s->metric)),
		 count_text(calls));
}

static void window_end(void *state)
{
	struct stacks *s = state;

	samplebook_window_end(&s->book);
}

static void window_forget(void *state, struct survivors *r)
{
	struct stacks *s = state;

	samplebook_window_forget(&s->book, r);
}

static void window_renumber(void *state, const struct survivors *r)
{
	struct stacks *s = state;

	samplebook_window_renumber(&s->book, r);
}

const struct action stack_action = {
	.name = "stack",
	.option = "probe-stack",
	.does = "sample the calls of functions, with their stacks",
	.metric = "calls",
	.stream = STREAM,
	.source = {.new = stacks_new,
		   .free = stacks_free,
		   .captures = captures,
		   .request = request,
		   .begin = begin,
		   .take = take,
		   .take_slice = take_slice,
		   .progress = progress,
		   .metrics = metrics,
		   .lost = lost,
		   .account = account,
		   .finish = finish,
		   .reconcile = reconcile,
		   .taken = taken,
		   .total = total,
		   .window_end = window_end,
		   .window_forget = window_forget,
		   .window_renumber = window_renumber},
};
