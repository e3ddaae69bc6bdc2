/*
 * oncpu: samples of perf events, with their stacks.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "model/meta.h"
#include "source/oncpu.h"
#include "book/label.h"
#include "source/oncpu_ledger.h"
#include "book/samplebook.h"
#include "source/source.h"

struct oncpu {
	struct samplebook book;
	struct oncpu_options in;
	struct session *session;
	struct labels labels;	    /* reason of a row of the book is a label's number */
	uint32_t first_metric;	    /* of the first event, in the profile that is being made */
	uint32_t sums[WIRE_EVENTS]; /* by event: the metric of the field that it sums up */
};

static void *oncpu_new(const void *options)
{
	struct oncpu *o = mem_zalloc(1, sizeof(*o));

	o->in = *(const struct oncpu_options *)options;
	samplebook_init(&o->book, WIRE_STREAM_oncpu, WIRE_EVENTS);
	labels_init(&o->labels);
	return o;
}

static void oncpu_free(void *state)
{
	struct oncpu *o = state;

	if (!o)
		return;
	samplebook_release(&o->book);
	labels_release(&o->labels);
	free(o);
}

/* What its event asks for; NULL: nothing, and the record is a sample alone. */
static const struct tracepoint_fields *fields_of(const struct oncpu *o, const struct wire_sample *w)
{
	const uint32_t event = w->event & WIRE_STREAM_MASK;
	const struct tracepoint_fields *f =
		event < o->in.n_events ? &o->in.events[event].fields : NULL;

	return f && tracepoint_fields_any(f) ? f : NULL;
}

/* A hit for which this one stands has the same value; a negative one is an error's number. */
static uint64_t summed(const struct tracepoint_fields *f, const struct wire_labelled *w)
{
	const int64_t value = f->has_sum ? label_value(&f->sum, w->sum) : 0;
	int64_t sum;

	if (value <= 0 || __builtin_mul_overflow(value, (int64_t)w->sample.weight, &sum))
		return 0;
	return (uint64_t)sum;
}

static void take_labelled(struct oncpu *o, const struct tracepoint_fields *f,
			  const struct wire_labelled *w, uint32_t user, struct stackbook *stacks,
			  struct procs *procs)
{
	struct sample_row row =
		samplebook_row(&o->book, &w->sample, summed(f, w), user, stacks, procs);

	row.reason = labels_take(&o->labels, f, w->sample.event & WIRE_STREAM_MASK, w);
	samplebook_push(&o->book, &row);
}

static void oncpu_take(void *state, const void *record, struct stackbook *stacks,
		       struct procs *procs)
{
	const struct wire_sample *w = record;
	struct oncpu *o = state;
	const struct tracepoint_fields *f = fields_of(o, w);
	const uint32_t user = stackbook_find(stacks, w->user_hash);

	if (f)
		take_labelled(o, f, record, user, stacks, procs);
	else
		samplebook_add(&o->book, w, 0, user, stacks, procs);
}

static void oncpu_take_slice(void *state, const struct source_slice *slice,
			     struct stackbook *stacks, struct procs *procs)
{
	struct oncpu *o = state;
	const struct tracepoint_fields *f = fields_of(o, &slice->wire->sample);
	struct wire_labelled w;

	if (!f) {
		samplebook_add_slice(&o->book, slice, 0, stacks, procs);
		return;
	}
	source_slice_record(slice, &w, sizeof(w));
	samplebook_count_slice(&o->book, slice);
	take_labelled(o, f, &w, slice->stack, stacks, procs);
}
_Static_assert(sizeof(struct wire_labelled) - sizeof(struct wire_sample) <= 8 * WIRE_MORE,
	       "all of a record is in its slice");

static void oncpu_progress(const void *state, struct str *out)
{
	const struct oncpu *o = state;
	char n[UNITS_BUF];

	str_addf(out, "%s samples  ",
		 units_count(n, sizeof(n), (int64_t)samplebook_count(&o->book)));
}

/* Its label is the leaf of its stack. */
static void put_row(const struct oncpu *o, const struct sample_row *row, struct assembly *a,
		    const int64_t *values)
{
	uint32_t node;

	if (!row->reason) {
		samplebook_put(&o->book, row, a, values);
		return;
	}
	node = assembly_node(a, row->user, row->kernel);
	node = assembly_mark(a, node, labels_text(&o->labels, row->reason));
	samplebook_put_at(row, a, node, values);
}

static void add_rows(const struct oncpu *o, struct assembly *a)
{
	size_t metrics = a->p->metrics.n;
	_free_ int64_t *values = mem_zalloc(metrics, sizeof(*values));

	for (size_t i = 0; i < o->book.rows.n; i++) {
		const struct sample_row *row = &o->book.rows.at[i];
		const uint32_t metric = o->first_metric + row->stream;

		if (row->stream >= o->in.n_events)
			continue;
		values[metric] = (int64_t)row->weight;
		if (o->in.events[row->stream].fields.has_sum)
			values[o->sums[row->stream]] = (int64_t)row->part;
		put_row(o, row, a, values);
		memset(values, 0, metrics * sizeof(*values));
	}
}

static void oncpu_finish(const void *state, struct assembly *a)
{
	const struct oncpu *o = state;

	add_rows(o, a);
	samplebook_tally(&o->book, a);
	for (uint32_t i = 0; i < o->in.n_events; i++)
		samplebook_notes(&o->book, a, o->first_metric + i, 1u << i);
}

/* --- metrics -------------------------------------------------------------------------------- */

static void oncpu_begin(void *state, const struct source_services *services)
{
	struct oncpu *o = state;

	o->session = services->session;
}

/* "block:block_rq_issue/dev,sum=bytes/ bytes" */
static uint32_t add_sum(struct profile *p, const struct event *e)
{
	const struct tracepoint_field *f = &e->fields.sum;
	const int n = (int)strcspn(e->name, "/");
	_free_ char *name = mem_printf("%.*s %s", n, e->name, f->name);
	const uint32_t metric = profile_metric(p, name, f->unit ? f->unit : f->name, METRIC_SUM);

	profile_metric_base(p, metric, f->name);
	return metric;
}

static void oncpu_metrics(void *state, struct profile *p)
{
	struct oncpu *o = state;

	o->first_metric = p->metrics.n;
	for (size_t i = 0; i < o->in.n_events; i++) {
		const struct event *e = &o->in.events[i];
		const uint32_t metric = profile_metric(p, e->name, e->clock ? "ns" : "events",
						       e->clock ? METRIC_SUM : METRIC_COUNT);

		if (e->clock)
			profile_metric_base(p, metric, METRIC_ON_CPU);
	}
	for (size_t i = 0; i < o->in.n_events; i++)
		if (o->in.events[i].fields.has_sum)
			o->sums[i] = add_sum(p, &o->in.events[i]);
}

static uint64_t oncpu_lost(const void *state)
{
	const struct oncpu *o = state;

	return ledger_lost(o->session, WIRE_STREAM_oncpu, o->in.n_events);
}

static struct oncpu_event event_of(const struct oncpu *o, size_t i)
{
	return (struct oncpu_event){.is = &o->in.events[i],
				    .number = i,
				    .metric = o->first_metric + (uint32_t)i,
				    .hz = o->in.hz,
				    .dropped = samplebook_dropped(&o->book, 1u << i)};
}

static void oncpu_account(const void *state, struct profile *p, const struct ledger_input *in)
{
	const struct oncpu *o = state;

	for (size_t i = 0; i < o->in.n_events; i++) {
		const struct oncpu_event e = event_of(o, i);

		oncpu_ledger(p, in, &e);
	}
	profile_note(p, "samples whose label is [other values]: too many different ones",
		     o->labels.left_out);
}

/* Hits whose field has a value to add; what was lost of the event has its rows. */
static void account_sum(struct profile *p, uint32_t metric)
{
	int64_t kept = 0;

	for (size_t i = 0; i < p->samples.n; i++)
		kept += p->samples.values.at[metric].at[i] != 0;
	profile_ledger(p, metric, LEDGER_TAKEN, "taken", kept);
	profile_ledger(p, metric, LEDGER_KEPT, "kept", kept);
}

static void oncpu_reconcile(const void *state, struct profile *p, const struct ledger_input *in)
{
	const struct oncpu *o = state;

	for (size_t i = 0; i < o->in.n_events; i++) {
		const struct oncpu_event e = event_of(o, i);

		oncpu_totals(p, in, &e);
		if (e.is->fields.has_sum)
			account_sum(p, o->sums[i]);
	}
}

/* --- windows -------------------------------------------------------------------------------- */

static void oncpu_window_end(void *state)
{
	struct oncpu *o = state;

	samplebook_window_end(&o->book);
}

static void oncpu_window_forget(void *state, struct survivors *r)
{
	struct oncpu *o = state;

	samplebook_window_forget(&o->book, r);
}

static void oncpu_window_renumber(void *state, const struct survivors *r)
{
	struct oncpu *o = state;

	samplebook_window_renumber(&o->book, r);
}

static void oncpu_total(const void *state, const struct profile *p, struct str *out)
{
	const struct oncpu *o = state;
	const char *events = profile_run(p, RUN_EVENTS);
	char n[UNITS_BUF];
	int64_t samples = 0;

	for (uint32_t i = 0; i < o->in.n_events; i++)
		samples += ledger_samples(p, o->first_metric + i);
	/* The text goes on with what else is captured. */
	str_addf(out, "%s samples of %.*s", units_count(n, sizeof(n), samples),
		 events ? (int)strcspn(events, ";") : 0, events ? events : "");
}

const struct source oncpu_source = {
	.name = "oncpu",
	.new = oncpu_new,
	.free = oncpu_free,
	.finish = oncpu_finish,
	.metrics = oncpu_metrics,
	.lost = oncpu_lost,
	.begin = oncpu_begin,
	.account = oncpu_account,
	.reconcile = oncpu_reconcile,
	.take = oncpu_take,
	.take_slice = oncpu_take_slice,
	.progress = oncpu_progress,
	.window_end = oncpu_window_end,
	.window_forget = oncpu_window_forget,
	.window_renumber = oncpu_window_renumber,
	.total = oncpu_total,
};
