/*
 * oncpu: samples of perf events, with their stacks.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "base/units.h"
#include "model/meta.h"
#include "source/oncpu.h"
#include "source/oncpu_ledger.h"
#include "book/samplebook.h"
#include "source/source.h"

struct oncpu {
	struct samplebook book;
	struct oncpu_options in;
	struct session *session;
	uint32_t first_metric; /* of the first event, in the profile that is being made */
};

static void *oncpu_new(const void *options)
{
	struct oncpu *o = mem_zalloc(1, sizeof(*o));

	o->in = *(const struct oncpu_options *)options;
	samplebook_init(&o->book, WIRE_STREAM_oncpu, WIRE_EVENTS);
	return o;
}

static void oncpu_free(void *state)
{
	struct oncpu *o = state;

	if (!o)
		return;
	samplebook_release(&o->book);
	free(o);
}

static void oncpu_take(void *state, const void *record, struct stackbook *stacks,
		       struct procs *procs)
{
	const struct wire_sample *w = record;
	struct oncpu *o = state;

	samplebook_add(&o->book, w, 0, stackbook_find(stacks, w->user_hash), stacks, procs);
}

static void oncpu_take_slice(void *state, const struct source_slice *slice,
			     struct stackbook *stacks, struct procs *procs)
{
	struct oncpu *o = state;

	samplebook_add_slice(&o->book, slice, 0, stacks, procs);
}

static void oncpu_progress(const void *state, struct str *out)
{
	const struct oncpu *o = state;
	char n[UNITS_BUF];

	str_addf(out, "%s samples  ",
		 units_count(n, sizeof(n), (int64_t)samplebook_count(&o->book)));
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
		samplebook_put(&o->book, row, a, values);
		values[metric] = 0;
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
}

static void oncpu_reconcile(const void *state, struct profile *p, const struct ledger_input *in)
{
	const struct oncpu *o = state;

	for (size_t i = 0; i < o->in.n_events; i++) {
		const struct oncpu_event e = event_of(o, i);

		oncpu_totals(p, in, &e);
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
