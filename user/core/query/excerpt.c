#include "query/excerpt.h"

#include <stdlib.h>

#include "model/copying.h"
#include "query/excerpt_zones.h"
#include "query/filter.h"
#include "model/meta.h"
#include "model/run_queue.h"
#include "model/thread_wait.h"

#define LEFT_OUT UINT32_MAX

struct excerpt {
	const struct profile *from;
	const struct selection *sel;
	struct profile *p;
	struct filter filter;
	struct copying names;
	uint32_t *threads; /* new number of each, or LEFT_OUT */
	uint32_t *edges;   /* of zone_edges; 0: left out */
	uint32_t *nodes;   /* 1 where a sample needs it, then its new number */
	uint8_t *taken;	   /* per sample */
	size_t samples;
};

static bool is_all(const struct selection *s)
{
	return !s->metric && !s->sort && selection_takes_all(s);
}

/* --- what is of the capture as a whole -------------------------------------------------------- */

static void copy_cost(struct excerpt *e)
{
	for (size_t i = 0; i < e->from->cost.n; i++) {
		struct cost_row row = e->from->cost.at[i];

		row.name = copy_text(&e->names, row.name);
		row.unit = copy_text(&e->names, row.unit);
		vec_push(&e->p->cost, row);
	}
	for (size_t i = 0; i < e->from->windows.n; i++)
		vec_push(&e->p->windows, e->from->windows.at[i]);
	for (size_t i = 0; i < e->from->run_queues.n; i++)
		vec_push(&e->p->run_queues, e->from->run_queues.at[i]);
}

static void copy_source(struct excerpt *e)
{
	for (size_t i = 0; i < e->from->source_lines.n; i++) {
		struct source_line row = e->from->source_lines.at[i];

		row.file = copy_text(&e->names, row.file);
		row.text = copy_text(&e->names, row.text);
		vec_push(&e->p->source_lines, row);
	}
}

/* --- metrics and their ledger ----------------------------------------------------------------- */

static bool is_one_metric(const struct excerpt *e)
{
	return e->sel->metric && e->filter.measure.n == 1;
}

static void copy_metric(struct excerpt *e, uint32_t metric)
{
	const struct metric *m = &e->from->metrics.at[metric];
	uint32_t number = profile_metric(e->p, profile_text(e->from, m->name),
					 profile_text(e->from, m->unit), m->kind);

	profile_metric_base(e->p, number, profile_text(e->from, m->base));
}

static void copy_metrics(struct excerpt *e)
{
	const struct measure *m = &e->filter.measure;
	_free_ char *base = measure_base(e->from, m);

	for (uint32_t i = 0; !e->sel->metric && i < e->from->metrics.n; i++)
		copy_metric(e, i);
	if (is_one_metric(e))
		copy_metric(e, m->metric[0]);
	else if (e->sel->metric)
		profile_metric_base(e->p, profile_metric(e->p, m->name, m->unit, METRIC_SUM), base);
	if (e->sel->metric)
		profile_set_run(e->p, RUN_METRIC, m->name);
}

/* A sum has no ledger of its own. */
static void copy_ledger(struct excerpt *e)
{
	for (size_t i = 0; i < e->from->ledger.n; i++) {
		struct ledger_row row = e->from->ledger.at[i];

		row.name = copy_text(&e->names, row.name);
		if (row.metric < LEDGER_BESIDE && e->sel->metric) {
			if (!is_one_metric(e) || row.metric != e->filter.measure.metric[0])
				continue;
			row.metric = 0;
		}
		vec_push(&e->p->ledger, row);
	}
}

/* --- threads ---------------------------------------------------------------------------------- */

static void copy_threads(struct excerpt *e)
{
	const struct profile *from = e->from;

	e->threads = mem_zalloc(from->threads.n + 1, sizeof(*e->threads));
	for (size_t i = 0; i < from->threads.n; i++) {
		struct thread t = from->threads.at[i];

		e->threads[i] = LEFT_OUT;
		if (e->filter.thread && !e->filter.thread[i])
			continue;
		t.name = copy_text(&e->names, t.name);
		t.process = copy_text(&e->names, t.process);
		t.cgroup = copy_text(&e->names, t.cgroup);
		e->threads[i] = profile_thread(e->p, &t);
	}
	for (size_t i = 0; i < from->thread_waits.n; i++) {
		struct thread_wait w = from->thread_waits.at[i];

		w.thread = e->threads[w.thread];
		if (w.thread != LEFT_OUT)
			vec_push(&e->p->thread_waits, w);
	}
}

/* --- samples and their stacks ----------------------------------------------------------------- */

static bool has_value(const struct excerpt *e, size_t row)
{
	const struct samples *s = &e->from->samples;

	if (e->sel->metric)
		return measure_value(e->from, &e->filter.measure, row) != 0;
	for (size_t m = 0; m < s->values.n; m++)
		if (s->values.at[m].at[row])
			return true;
	return false;
}

/* Which rows there will be, and the nodes that these need. */
static void take_rows(struct excerpt *e)
{
	const struct samples *s = &e->from->samples;

	e->taken = mem_zalloc(s->n + 1, sizeof(*e->taken));
	e->nodes = mem_zalloc(e->from->nodes.n, sizeof(*e->nodes));
	for (size_t i = 0; i < s->n; i++) {
		e->taken[i] = filter_takes(&e->filter, i) && has_value(e, i);
		e->samples += e->taken[i];
		if (e->taken[i])
			e->nodes[s->at[i].node] = 1;
	}
	for (size_t i = e->from->nodes.n; i-- > 1;)
		e->nodes[e->from->nodes.at[i].parent] |= e->nodes[i];
}

static bool is_omitted(const struct excerpt *e, uint32_t node)
{
	const uint32_t function = e->from->frames.at[e->from->nodes.at[node].frame].function;

	return e->filter.omit && e->filter.omit[function];
}

/* The frame of @node; what was inlined into one that is left out stands for itself. */
static uint32_t place_frame(struct excerpt *e, uint32_t node)
{
	const struct node *n = &e->from->nodes.at[node];
	struct frame frame;
	uint32_t number = copy_frame(&e->names, n->frame);

	if (!e->from->frames.at[n->frame].inlined || !n->parent || !is_omitted(e, n->parent))
		return number;
	frame = e->p->frames.at[number];
	frame.inlined = 0;
	return profile_frame(e->p, &frame);
}

static void copy_nodes(struct excerpt *e)
{
	e->nodes[0] = 0;
	for (uint32_t i = 1; i < e->from->nodes.n; i++) {
		const uint32_t parent = e->nodes[e->from->nodes.at[i].parent];

		if (!e->nodes[i])
			continue;
		e->nodes[i] =
			is_omitted(e, i) ? parent : profile_node(e->p, parent, place_frame(e, i));
	}
}

static void copy_row(struct excerpt *e, size_t row, int64_t *values)
{
	const struct samples *s = &e->from->samples;
	const size_t to = e->p->samples.n;

	for (size_t m = 0; !e->sel->metric && m < s->values.n; m++)
		values[m] = s->values.at[m].at[row];
	if (e->sel->metric)
		values[0] = measure_value(e->from, &e->filter.measure, row);
	profile_sample(e->p, s->at[row].time_ns, e->threads[s->at[row].thread],
		       e->nodes[s->at[row].node], values);
	profile_sample_zone(e->p, to, e->edges[s->at[row].zone]);
	profile_sample_reason(e->p, to, copy_reason(&e->names, s->at[row].reason));
	profile_sample_wait(e->p, to, s->at[row].wait_ns);
}

static void copy_rows(struct excerpt *e)
{
	_free_ int64_t *values = mem_zalloc(e->from->samples.values.n + 1, sizeof(*values));

	for (size_t i = 0; i < e->from->samples.n; i++)
		if (e->taken[i])
			copy_row(e, i, values);
}

/* --- all together ----------------------------------------------------------------------------- */

static int fill(struct excerpt *e)
{
	int rc;

	take_rows(e);
	rc = e->samples ? 0 : filter_check_any(&e->filter, e->sel);
	if (rc)
		return rc;
	copy_attributes(e->from, e->p);
	e->p->hz = e->from->hz;
	copy_cost(e);
	copy_source(e);
	copy_metrics(e);
	copy_ledger(e);
	copy_threads(e);
	e->edges = mem_zalloc(e->from->zone_edges.n + 1, sizeof(*e->edges));
	rc = excerpt_zones(&e->names, e->sel, e->threads, e->edges);
	if (rc)
		return rc;
	copy_nodes(e);
	copy_rows(e);
	e->p->parts = e->from->parts;
	return 0;
}

int excerpt_build(const struct profile *from, const struct selection *sel, struct profile **out)
{
	struct excerpt e = {.from = from, .sel = sel};
	int rc;

	*out = NULL;
	if (is_all(sel))
		return 0;
	e.p = profile_new();
	copying_init(&e.names, from, e.p);
	rc = filter_init(&e.filter, from, sel);
	if (!rc)
		rc = fill(&e);
	filter_release(&e.filter);
	copying_release(&e.names);
	free(e.threads);
	free(e.edges);
	free(e.nodes);
	free(e.taken);
	if (rc)
		profile_free(e.p);
	else
		*out = e.p;
	return rc;
}
