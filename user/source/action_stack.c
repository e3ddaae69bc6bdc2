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
#include "timeline/call_args.h"
#include "timeline/call_labels.h"
#include "wire_call.h"

extern const struct action stack_action;

#define STREAM WIRE_PROBE_STREAM_stack

/* Calls whose values are not told. */
struct unlabelled {
	uint64_t too_many, unsent;
};

struct stacks {
	struct samplebook book;
	const struct engine_options *o;
	struct session *session;
	struct call_args args;
	struct call_labels labels;    /* reason of a row of the book is a label's number */
	struct unlabelled unlabelled; /* of earlier windows */
	uint32_t metric;	      /* of the profile under way */
};

static const struct timeline_options *options_of(const struct engine_options *o)
{
	return o->own[WIRE_ACTION_event];
}

/* Whether calls come with their arguments: that is asked for of any function. */
static bool by_arguments(const struct engine_options *o)
{
	return options_of(o) && options_of(o)->n_args;
}

static void found(void *state, uint32_t number, const struct zone_def *def, const char *pattern,
		  uint32_t argument)
{
	struct stacks *s = state;

	(void)pattern;
	(void)argument;
	call_args_found(&s->args, number, def, def->actions >> WIRE_ACTION_event & 1);
	if (call_args_of(&s->args, number))
		call_labels_name(&s->labels, number, def->name);
}

static void *stacks_new(const void *engine)
{
	struct engine *e = (struct engine *)(uintptr_t)engine;
	struct stacks *s = mem_zalloc(1, sizeof(*s));

	s->o = e->in.o;
	samplebook_init(&s->book, STREAM, 1);
	call_labels_init(&s->labels);
	call_args_init(&s->args, e, options_of(s->o));
	if (by_arguments(s->o))
		engine_watch(e, (struct engine_watcher){1u << WIRE_ACTION_stack, NULL, found, s});
	return s;
}

static void stacks_free(void *state)
{
	struct stacks *s = state;

	if (!s)
		return;
	samplebook_release(&s->book);
	call_args_release(&s->args);
	call_labels_release(&s->labels);
	free(s);
}

static void captures(const void *options, double hz, struct str *out)
{
	const struct engine_options *o = options;

	(void)hz;
	str_add(out, by_arguments(o) ? "calls by their arguments" : "calls");
	if (o->every > 1)
		str_addf(out, ", every %" PRIu64 "%s", o->every, units_ordinal(o->every));
	else if (o->every)
		str_add(out, ", every one");
	else
		str_addf(out, ", up to %s a second on a CPU", count_text(EVENT_COUNTED_HZ));
}

static void request(void *state, struct session_options *out)
{
	const struct stacks *s = state;

	vec_push(&out->paces,
		 ((struct session_pace){STREAM, session_pace(s->o->every, EVENT_COUNTED_HZ)}));
	out->call_arguments = by_arguments(s->o);
	if (out->call_arguments)
		call_args_request(&s->args, out);
}

static void begin(void *state, const struct source_services *services)
{
	struct stacks *s = state;

	s->session = services->session;
}

static void add(struct stacks *s, const struct wire_call *w, uint32_t user,
		struct stackbook *stacks, struct procs *procs)
{
	struct sample_row row = samplebook_row(&s->book, &w->sample, 0, user, stacks, procs);

	row.reason = call_labels_row(&s->labels, w->values, w->function);
	samplebook_push(&s->book, &row);
}

static void take(void *state, const void *record, struct stackbook *stacks, struct procs *procs)
{
	const struct wire_stack *values = record;
	const struct wire_call *w = record;
	struct stacks *s = state;

	if (wire_call_is_values(record))
		call_labels_take(&s->labels, values,
				 call_args_of(&s->args, call_labels_function(values)));
	else
		add(s, w, stackbook_find(stacks, w->sample.user_hash), stacks, procs);
}

static void take_slice(void *state, const struct source_slice *slice, struct stackbook *stacks,
		       struct procs *procs)
{
	struct stacks *s = state;
	struct wire_call w;

	source_slice_record(slice, &w, sizeof(w));
	samplebook_count_slice(&s->book, slice);
	add(s, &w, slice->stack, stacks, procs);
}
_Static_assert(sizeof(struct wire_call) - sizeof(struct wire_sample) <= 8 * WIRE_MORE,
	       "all of a record is in its slice");

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

/* Adds the calls among the first @n rows whose values are not told. */
static void count_unlabelled(const struct stacks *s, size_t n, struct unlabelled *to)
{
	for (size_t i = 0; i < n; i++) {
		const struct sample_row *row = &s->book.rows.at[i];
		const enum call_label_state state = call_labels_state(&s->labels, row->reason);

		to->too_many += state == CALL_LABEL_REST ? row->weight : 0;
		to->unsent += state == CALL_LABEL_UNSENT ? row->weight : 0;
	}
}

static void account(const void *state, struct profile *p, const struct ledger_input *in)
{
	const struct stacks *s = state;
	struct unlabelled sum = s->unlabelled;
	uint64_t counters[WIRE_COUNTERS];

	if (session_counters(in->session, STREAM, counters))
		return;
	ledger_outcomes(p, s->metric, counters, in->running);
	ledger_slices(p, s->metric, counters, samplebook_dropped(&s->book, 1));
	count_unlabelled(s, s->book.rows.n, &sum);
	profile_note(p, "calls shown as F(…): too many different arguments", sum.too_many);
	profile_note(p, "calls shown as F(…): the ring had no room for their arguments",
		     sum.unsent);
}

/* Its arguments are the leaf of its stack. */
static void put_row(const struct stacks *s, const struct sample_row *row, struct assembly *a,
		    const int64_t *values, struct str *room)
{
	uint32_t node;

	if (!row->reason) {
		samplebook_put(&s->book, row, a, values);
		return;
	}
	node = assembly_node(a, row->user, row->kernel);
	node = assembly_mark(a, node, call_labels_text(&s->labels, row->reason, room));
	samplebook_put_at(row, a, node, values);
}

static void finish(const void *state, struct assembly *a)
{
	const struct stacks *s = state;
	_free_ int64_t *values = mem_zalloc(a->p->metrics.n, sizeof(*values));
	struct str room = {0};

	for (size_t i = 0; i < s->book.rows.n; i++) {
		values[s->metric] = (int64_t)s->book.rows.at[i].weight;
		put_row(s, &s->book.rows.at[i], a, values, &room);
	}
	str_release(&room);
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

	count_unlabelled(s, s->book.ended, &s->unlabelled);
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
