/* The order of captures, threads, metrics, samples, windows, and of the rows that count. */
#include <stdlib.h>

#include "base/mem.h"
#include "merge/merge_ordering.h"
#include "model/run_queue.h"
#include "model/thread_wait.h"

/* --- captures ------------------------------------------------------------------------------- */

/* Numbers that may be negative, so that they sort as such. */
static uint64_t rising(int64_t v)
{
	return (uint64_t)v ^ (UINT64_C(1) << 63);
}

void order_origins(struct ordering *o)
{
	const size_t n = o->from->origins.n;
	_free_ struct sort_row *rows = sort_rows_new(n);

	o->origins = mem_zalloc(n + 1, sizeof(*o->origins));
	for (size_t i = 0; i < n; i++) {
		const struct origin *e = &o->from->origins.at[i];

		rows[i].k[0] = rising(e->started_unix_ns);
		rows[i].k[1] = ordered_pair(o, e->file, e->run);
		rows[i].k[2] = ordered_pair(o, e->version, e->platform);
		rows[i].k[3] = rising(e->duration_ns);
		rows[i].k[4] = o->rank[e->parts];
	}
	sort_rows(rows, n);
	for (size_t i = 0; i < n; i++) {
		struct origin e = o->from->origins.at[rows[i].i];

		e.file = ordered_text(o, e.file);
		e.run = ordered_text(o, e.run);
		e.version = ordered_text(o, e.version);
		e.platform = ordered_text(o, e.platform);
		e.parts = ordered_text(o, e.parts);
		o->origins[rows[i].i] = (uint32_t)i;
		vec_push(&o->to->origins, e);
		MERGE_SUM(o->m, &o->to->duration_ns, e.duration_ns);
	}
}

/* When each of the captures begins on the axis of all. */
static uint64_t *starts_of(const struct profile *p)
{
	uint64_t *starts = mem_zalloc(p->origins.n + 1, sizeof(*starts));

	for (size_t i = 0; i < p->origins.n; i++)
		starts[i + 1] = starts[i] + (uint64_t)p->origins.at[i].duration_ns;
	return starts;
}

/* --- threads and metrics -------------------------------------------------------------------- */

void order_threads(struct ordering *o)
{
	const size_t n = o->from->threads.n;
	_free_ struct sort_row *rows = sort_rows_new(n);

	o->threads = mem_zalloc(n + 1, sizeof(*o->threads));
	for (size_t i = 0; i < n; i++) {
		const struct thread *t = &o->from->threads.at[i];

		rows[i].k[0] = (uint64_t)t->pid << 32 | t->tid;
		rows[i].k[1] = t->born_ns;
		rows[i].k[2] = t->start_ns;
		rows[i].k[3] = o->rank[t->name];
	}
	sort_rows(rows, n);
	for (size_t i = 0; i < n; i++) {
		struct thread t = o->from->threads.at[rows[i].i];

		t.name = ordered_text(o, t.name);
		t.process = ordered_text(o, t.process);
		t.cgroup = ordered_text(o, t.cgroup);
		o->threads[rows[i].i] = profile_thread(o->to, &t);
	}
}

/* As all profiles have them, else by name: the first is what reports open with. */
static void order_metrics(struct ordering *o)
{
	const size_t n = o->from->metrics.n;
	_free_ struct sort_row *rows = sort_rows_new(n);

	o->metrics = mem_zalloc(n + 1, sizeof(*o->metrics));
	for (size_t i = 0; i < n && o->m->metrics_differ; i++) {
		const struct metric *e = &o->from->metrics.at[i];

		rows[i].k[0] = ordered_pair(o, e->name, e->unit);
		rows[i].k[1] = e->kind;
	}
	sort_rows(rows, n);
	for (size_t i = 0; i < n; i++) {
		struct metric e = o->from->metrics.at[rows[i].i];

		e.name = ordered_text(o, e.name);
		e.unit = ordered_text(o, e.unit);
		e.base = ordered_text(o, e.base);
		o->metrics[rows[i].i] = (uint32_t)i;
		vec_push(&o->to->metrics, e);
		vec_add(&o->to->samples.values);
	}
}

/* --- samples and windows -------------------------------------------------------------------- */

/* Rows by capture, within one as they came; the caller's. */
static uint32_t *by_origin(const struct ordering *o)
{
	const size_t n = o->from->samples.n;
	_free_ size_t *at = mem_zalloc(o->to->origins.n + 2, sizeof(*at));
	uint32_t *rows = mem_zalloc(n + 1, sizeof(*rows));

	for (size_t i = 0; i < n; i++)
		at[o->origins[o->m->sample_origin.at[i]] + 1]++;
	for (size_t i = 0; i < o->to->origins.n; i++)
		at[i + 1] += at[i];
	for (size_t i = 0; i < n; i++)
		rows[at[o->origins[o->m->sample_origin.at[i]]]++] = (uint32_t)i;
	return rows;
}

static void reserve(struct samples *s, size_t n)
{
	vec_reserve(s, n);
	for (size_t m = 0; m < s->values.n; m++)
		vec_reserve(&s->values.at[m], n);
}

/* A column of @n values, of which the new row r is the old row @rows[r]. */
static void add_values(struct ordering *o, size_t metric, const uint32_t *rows, size_t n)
{
	const profile_values *from = &o->from->samples.values.at[metric];
	profile_values *to = &o->to->samples.values.at[o->metrics[metric]];

	for (size_t r = 0; r < n; r++)
		to->at[r] = from->at[rows[r]];
	to->n = n;
}

static void add_samples(struct ordering *o, const uint64_t *starts)
{
	const struct samples *from = &o->from->samples;
	const size_t n = from->n;
	struct samples *to = &o->to->samples;
	_free_ uint32_t *rows = by_origin(o);

	reserve(to, n);
	for (size_t r = 0; r < n; r++) {
		const uint32_t i = rows[r];
		uint64_t time_ns = from->at[i].time_ns;

		MERGE_SUM(o->m, &time_ns, starts[o->origins[o->m->sample_origin.at[i]]]);
		vec_push(to, ((struct sample){
				     .time_ns = time_ns,
				     .thread = o->threads[from->at[i].thread],
				     .node = o->nodes[from->at[i].node],
				     .zone = o->edges[from->at[i].zone],
				     .reason = o->reasons[from->at[i].reason],
				     .wait_ns = from->at[i].wait_ns,
			     }));
	}
	for (size_t m = 0; m < from->values.n; m++)
		add_values(o, m, rows, n);
}

static void add_windows(struct ordering *o, const uint64_t *starts)
{
	const size_t n = o->from->windows.n;
	_free_ struct sort_row *rows = sort_rows_new(n);

	for (size_t i = 0; i < n; i++) {
		const struct window *w = &o->from->windows.at[i];
		const uint64_t start = starts[o->origins[o->m->window_origin.at[i]]];

		rows[i].k[0] = start + w->t0_ns;
		rows[i].k[1] = start + w->t1_ns;
	}
	sort_rows(rows, n);
	for (size_t i = 0; i < n; i++)
		vec_push(&o->to->windows, ((struct window){rows[i].k[0], rows[i].k[1]}));
}

/* --- rows that count ------------------------------------------------------------------------ */

static void order_ledger(struct ordering *o)
{
	const size_t n = o->from->ledger.n;
	_free_ struct sort_row *rows = sort_rows_new(n);

	for (size_t i = 0; i < n; i++) {
		const struct ledger_row *e = &o->from->ledger.at[i];

		rows[i].k[0] = e->metric >= LEDGER_BESIDE ? e->metric : o->metrics[e->metric];
		rows[i].k[1] = e->class;
		rows[i].k[2] = o->rank[e->name];
	}
	sort_rows(rows, n);
	for (size_t i = 0; i < n; i++) {
		struct ledger_row e = o->from->ledger.at[rows[i].i];

		e.name = ordered_text(o, e.name);
		e.metric = (uint32_t)rows[i].k[0];
		vec_push(&o->to->ledger, e);
	}
}

static void order_cost(struct ordering *o)
{
	const size_t n = o->from->cost.n;
	_free_ struct sort_row *rows = sort_rows_new(n);

	for (size_t i = 0; i < n; i++)
		rows[i].k[0] = ordered_pair(o, o->from->cost.at[i].name, o->from->cost.at[i].unit);
	sort_rows(rows, n);
	for (size_t i = 0; i < n; i++) {
		struct cost_row e = o->from->cost.at[rows[i].i];

		e.name = ordered_text(o, e.name);
		e.unit = ordered_text(o, e.unit);
		vec_push(&o->to->cost, e);
	}
}

static void order_waits(struct ordering *o)
{
	const size_t threads = o->from->thread_waits.n, queues = o->from->run_queues.n;
	_free_ struct sort_row *waits = sort_rows_new(threads), *bins = sort_rows_new(queues);

	for (size_t i = 0; i < threads; i++)
		waits[i].k[0] = o->threads[o->from->thread_waits.at[i].thread];
	sort_rows(waits, threads);
	for (size_t i = 0; i < threads; i++) {
		struct thread_wait w = o->from->thread_waits.at[waits[i].i];

		w.thread = (uint32_t)waits[i].k[0];
		vec_push(&o->to->thread_waits, w);
	}
	for (size_t i = 0; i < queues; i++) {
		bins[i].k[0] = o->from->run_queues.at[i].cpu;
		bins[i].k[1] = (uint64_t)o->from->run_queues.at[i].low_ns;
	}
	sort_rows(bins, queues);
	for (size_t i = 0; i < queues; i++)
		vec_push(&o->to->run_queues, o->from->run_queues.at[bins[i].i]);
}

void order_samples(struct ordering *o)
{
	_free_ uint64_t *starts = starts_of(o->to);

	order_metrics(o);
	add_samples(o, starts);
	add_windows(o, starts);
	order_ledger(o);
	order_cost(o);
	order_waits(o);
}
