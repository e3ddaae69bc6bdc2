#include "query/excerpt.h"

#include <stdlib.h>

#include "base/str.h"
#include "model/cell.h"
#include "model/event_cursor.h"
#include "model/meta.h"
#include "model/rows.h"
#include "query/filter.h"
#include "query/frame_class.h"
#include "query/selection.h"
#include "query/zone_rows.h"

/* The zones of an excerpt, and their order. */
struct zones_kept {
	const struct profile *from;
	struct zone_rows
		rows; /* those that the selection takes, with what it leaves of their figures */
	bool *zones, *edges; /* by row of zones and of zone_edges: whether it is taken */
	uint32_t *order;     /* of zones: the selection's, then those that called them */
	uint32_t *row;	     /* of zones: + 1 in rows.rows; 0: kept for its callees alone */
};

/* Keeps the edges of zones that are listed, and those above them. */
static void keep_edges(struct zones_kept *z, const bool *taken)
{
	const struct profile *from = z->from;

	z->edges = mem_zalloc(from->zone_edges.n + 1, sizeof(*z->edges));
	for (size_t i = from->zone_edges.n; i-- > 1;) {
		const struct zone_edge *e = &from->zone_edges.at[i];

		z->edges[i] |= z->row[e->zone] && (!taken || taken[i]);
		z->edges[e->parent] |= z->edges[i];
	}
}

static void add(struct zones_kept *z, uint32_t zone, size_t *n)
{
	if (!z->zones[zone])
		z->order[(*n)++] = zone;
	z->zones[zone] = true;
}

static void put_in_order(struct zones_kept *z)
{
	const struct profile *from = z->from;
	size_t n = 0;

	for (size_t i = 0; i < z->rows.rows.n; i++)
		add(z, z->rows.rows.at[i].zone, &n);
	for (size_t i = 1; i < from->zone_edges.n; i++)
		if (z->edges[i])
			add(z, from->zone_edges.at[i].zone, &n);
	/* The others are not taken, but need a place. */
	for (uint32_t i = 0; i < from->zones.n; i++)
		if (!z->zones[i])
			z->order[n++] = i;
}

/* Errors of filter_zones() and zone_rows_build(). To be released in either case. */
static int zones_init(struct zones_kept *z, const struct profile *from, const struct selection *sel)
{
	_free_ bool *taken = NULL;
	int rc = filter_zones(from, sel, &taken);

	*z = (struct zones_kept){.from = from};
	if (!rc)
		rc = zone_rows_build(from, sel, &z->rows);
	if (rc)
		return rc;
	z->zones = mem_zalloc(from->zones.n + 1, sizeof(*z->zones));
	z->order = mem_zalloc(from->zones.n + 1, sizeof(*z->order));
	z->row = mem_zalloc(from->zones.n + 1, sizeof(*z->row));
	for (uint32_t i = 0; i < z->rows.rows.n; i++)
		z->row[z->rows.rows.at[i].zone] = i + 1;
	keep_edges(z, taken);
	put_in_order(z);
	return 0;
}

static void zones_release(struct zones_kept *z)
{
	zone_rows_release(&z->rows);
	free(z->zones);
	free(z->edges);
	free(z->order);
	free(z->row);
}

/* Replaces the figures of @zone, the copy of zone @i, by those of the selected threads. */
static void zones_place(const struct zones_kept *z, uint32_t i, struct zone *zone)
{
	const struct zone copy = *zone;

	if (!z->row[i])
		return;
	*zone = z->rows.rows.at[z->row[i] - 1].at;
	zone->name = copy.name;
	zone->src_file = copy.src_file;
	zone->note = copy.note;
	zone->module = copy.module;
	zone->function = copy.function;
}

struct excerpt {
	const struct profile *from;
	const struct selection *sel;
	struct profile *p;
	struct filter filter;
	struct rows rows;
	struct zones_kept zones;
	bool no_variances;
	bool *metrics;	     /* by row of metrics: whether it is taken; NULL: all */
	bool *takes[TABLES]; /* of rows in time */
	VEC(int64_t) sums;   /* of --metric, by sample that is taken */
};

static bool has_variances(const struct profile *p)
{
	vec_each (m, &p->metrics)
		if (m->kind == METRIC_VARIANCE)
			return true;
	return false;
}

static bool is_all(const struct selection *s)
{
	return !s->metric && !s->sort && selection_takes_all(s);
}

/* --- metrics ---------------------------------------------------------------------------------- */

static bool is_sum(const struct excerpt *e)
{
	return e->sel->metric && e->filter.measure.n != 1;
}

/* With --metric that one; a sum of several has no ledger of its own. */
static void choose_metrics(struct excerpt *e)
{
	const struct measure *m = &e->filter.measure;
	_free_ char *base = measure_base(e->from, m);
	uint32_t variance;

	if (!e->sel->metric && !e->no_variances)
		return;
	e->metrics = mem_zalloc(e->from->metrics.n + 1, sizeof(*e->metrics));
	e->rows.takes[TABLE_metrics] = e->metrics;
	if (!e->sel->metric) {
		for (size_t i = 0; i < e->from->metrics.n; i++)
			e->metrics[i] = e->from->metrics.at[i].kind != METRIC_VARIANCE;
		return;
	}
	profile_set_run(e->p, RUN_METRIC, m->name);
	if (is_sum(e))
		profile_metric_base(e->p, profile_metric(e->p, m->name, m->unit, METRIC_SUM), base);
	else
		e->metrics[m->metric[0]] = true;
	if (!e->no_variances && measure_has_variance(e->from, m, &variance))
		e->metrics[variance] = true;
}

/* --- rows in time ----------------------------------------------------------------------------- */

static bool has_value(const struct excerpt *e, size_t row)
{
	if (e->sel->metric)
		return measure_value(e->from, &e->filter.measure, row) != 0;
	return sample_has_value(&e->from->samples, row);
}

/* Of another table than samples: by its time, and the threads that it refers to. */
static bool is_selected(const struct excerpt *e, const struct table *t, const char *row)
{
	for (size_t i = 0; i < t->n_columns; i++) {
		const struct column *c = &t->columns[i];

		if (c->time &&
		    (cell_u64(c, row) < e->filter.from_ns || cell_u64(c, row) >= e->filter.to_ns))
			return false;
		if (c->refers == TABLE_threads && e->filter.thread &&
		    !e->filter.thread[cell_u32(c, row)])
			return false;
	}
	return true;
}

/* How many are taken. */
static size_t choose_rows(struct excerpt *e, const struct table_place *t)
{
	const struct any_vec *v = table_vec(t, e->from);
	bool *takes = mem_zalloc(v->n + 1, sizeof(*takes));
	size_t n = 0;

	for (size_t i = 0; i < v->n; i++) {
		if (t->table->valued)
			takes[i] = filter_takes(&e->filter, i) && has_value(e, i);
		else
			takes[i] = is_selected(e, t->table, v->at + i * t->table->row_bytes);
		n += takes[i];
	}
	e->rows.takes[table_id_of(t)] = e->takes[table_id_of(t)] = takes;
	return n;
}

static void choose_events(struct excerpt *e)
{
	for (const struct table_place *t = profile_tables; t->table; t++)
		if (t->table->rows == ROWS_EVENTS && !t->table->valued)
			(void)choose_rows(e, t);
}

/* --- stacks ----------------------------------------------------------------------------------- */

static bool is_omitted(const struct excerpt *e, uint32_t node)
{
	const uint32_t function = e->from->frames.at[e->from->nodes.at[node].frame].function;

	return e->filter.omit && e->filter.omit[function];
}

/* The frame of @node, not inlined where the frame that it was inlined into is left out. */
static uint32_t place_frame(struct excerpt *e, uint32_t node)
{
	const struct node *n = &e->from->nodes.at[node];
	struct frame frame;
	uint32_t number = rows_need(&e->rows, TABLE_frames, n->frame);

	if (!e->from->frames.at[n->frame].inlined || !n->parent || !is_omitted(e, n->parent))
		return number;
	frame = e->p->frames.at[number];
	frame.inlined = 0;
	return profile_frame(e->p, &frame);
}

/* The stacks of the samples that are taken. */
static void place_nodes(struct excerpt *e)
{
	const struct profile *from = e->from;
	_free_ bool *used = mem_zalloc(from->nodes.n, sizeof(*used));
	uint32_t *number = e->rows.number[TABLE_nodes];

	for (size_t i = 0; i < from->samples.n; i++)
		used[from->samples.at[i].node] |= e->takes[TABLE_samples][i];
	for (size_t i = from->nodes.n; i-- > 1;)
		used[from->nodes.at[i].parent] |= used[i];
	for (uint32_t i = 1; i < from->nodes.n; i++) {
		const uint32_t parent = number[from->nodes.at[i].parent];

		if (used[i] && !number[i])
			number[i] = is_omitted(e, i)
					    ? parent
					    : profile_node(e->p, parent - 1, place_frame(e, i)) + 1;
	}
}

/* --- all together ----------------------------------------------------------------------------- */

static void change(struct rows *r, enum table_id id, uint32_t i, void *row)
{
	struct excerpt *e = r->context;

	if (id == TABLE_zones)
		zones_place(&e->zones, i, row);
	if (id == TABLE_samples && is_sum(e))
		vec_push(&e->sums, measure_value(e->from, &e->filter.measure, i));
}

static void take_tables(struct excerpt *e, bool in_time)
{
	for (const struct table_place *t = profile_tables; t->table; t++) {
		const enum table_id id = table_id_of(t);

		if ((t->table->rows == ROWS_EVENTS) != in_time)
			continue;
		if (id == TABLE_zones)
			rows_take_in(&e->rows, id, e->zones.order);
		else if (t->table->rows != ROWS_STATE && t->table->rows != ROWS_ORIGINS &&
			 !(id == TABLE_metrics && is_sum(e)))
			rows_take(&e->rows, id);
	}
}

static void put_sums(struct excerpt *e)
{
	for (size_t i = 0; i < e->sums.n; i++)
		e->p->samples.values.at[0].at[i] = e->sums.at[i];
}

static int fill(struct excerpt *e)
{
	size_t samples = choose_rows(e, table_of(TABLE_samples));
	int rc = samples ? 0 : filter_check_any(&e->filter, e->sel);

	if (!rc)
		rc = zones_init(&e->zones, e->from, e->sel);
	if (rc)
		return rc;
	profile_copy_attributes(e->from, e->p);
	e->p->hz = e->from->hz;
	e->rows.context = e;
	e->rows.change = change;
	e->rows.takes[TABLE_threads] = e->filter.thread;
	e->rows.takes[TABLE_zones] = e->zones.zones;
	e->rows.takes[TABLE_zone_edges] = e->zones.edges;
	choose_events(e);
	choose_metrics(e);
	take_tables(e, false);
	place_nodes(e);
	take_tables(e, true);
	put_sums(e);
	e->p->parts = e->from->parts;
	return e->from->events_left ? events_part(&e->rows, e->filter.from_ns, e->filter.to_ns) : 0;
}

int excerpt_build(const struct profile *from, const struct selection *sel, bool variances,
		  struct profile **out)
{
	struct excerpt e = {
		.from = from, .sel = sel, .no_variances = !variances && has_variances(from)};
	int rc;

	*out = NULL;
	if (is_all(sel) && !e.no_variances)
		return 0;
	e.p = profile_new();
	rows_init(&e.rows, from, e.p, NULL);
	rc = filter_init(&e.filter, from, sel);
	if (!rc)
		rc = fill(&e);
	filter_release(&e.filter);
	rows_release(&e.rows);
	zones_release(&e.zones);
	free(e.metrics);
	for (size_t i = 0; i < TABLES; i++)
		free(e.takes[i]);
	vec_release(&e.sums);
	if (rc)
		profile_free(e.p);
	else
		*out = e.p;
	return rc;
}

/* --- reasons of waits as frames ----------------------------------------------------------------
 */

/* "lock: futex app:queue_lock": its kind, system call and object, as far as they are known. Freed
 * by the caller. */
static char *reason_text(const struct profile *p, const struct reason *r)
{
	const char *const parts[] = {profile_text(p, r->call), profile_text(p, r->object)};
	const char *kind = reason_kind_name(r->kind);
	struct str s = {0};

	/* A newer program's kind has no name here. */
	str_add(&s, *kind ? kind : "another reason");
	for (size_t i = 0, n = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (*parts[i])
			str_addf(&s, "%s%s", n++ ? " " : ": ", parts[i]);
	return str_steal(&s);
}

static uint32_t frame_of(struct profile *p, const struct reason *r)
{
	_free_ char *text = reason_text(p, r);
	_free_ char *name = mem_printf("[%s]", text);
	const struct function f = {
		.name = intern_add(&p->strings, name), .kind = KIND_MARK, .named = 1};

	return profile_frame(p, &(struct frame){.function = profile_function(p, &f)});
}

void excerpt_add_reasons(struct profile *p)
{
	_free_ uint32_t *frames = mem_zalloc(p->reasons.n + 1, sizeof(*frames));

	for (size_t i = 1; i < p->reasons.n; i++)
		frames[i] = frame_of(p, &p->reasons.at[i]);
	for (size_t i = 0; i < p->samples.n; i++) {
		const uint32_t reason = p->samples.at[i].reason;

		if (reason)
			p->samples.at[i].node =
				profile_node(p, p->samples.at[i].node, frames[reason]);
	}
}

static uint32_t kernel_frame(struct profile *p)
{
	const struct function f = {.name = intern_add(&p->strings, "[kernel]"),
				   .module = profile_module(p, "[kernel]", ""),
				   .kind = KIND_KERNEL,
				   .named = 1};

	return profile_frame(p, &(struct frame){.function = profile_function(p, &f)});
}

void excerpt_fold_kernel(struct profile *p)
{
	const uint32_t kernel = kernel_frame(p);
	const size_t n = p->nodes.n;
	_free_ uint32_t *place = mem_zalloc(n + 1, sizeof(*place));
	_free_ bool *is_kernel = mem_zalloc(n + 1, sizeof(*is_kernel));

	for (size_t i = 1; i < n; i++) {
		const struct node node = p->nodes.at[i];
		const uint32_t parent = place[node.parent];
		const struct function *f = &p->functions.at[p->frames.at[node.frame].function];

		is_kernel[i] = frame_class_of(f) == FRAME_KERNEL;
		if (is_kernel[i] && is_kernel[node.parent])
			place[i] = parent;
		else
			place[i] = profile_node(p, parent, is_kernel[i] ? kernel : node.frame);
	}
	for (size_t i = 0; i < p->samples.n; i++)
		p->samples.at[i].node = place[p->samples.at[i].node];
}
