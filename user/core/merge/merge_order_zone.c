/* The order of zones, and their tables with it. */
#include <stdlib.h>

#include "base/mem.h"
#include "merge/merge_ordering.h"
#include "model/hist.h"

static void set_keys(const struct ordering *o, struct sort_row *r)
{
	const struct zone *z = &o->from->zones.at[r->i];

	r->k[0] = ordered_pair(o, z->name, z->src_file);
	r->k[1] = (uint64_t)z->src_line << 32 | o->rank[o->from->modules.at[z->module].path];
	r->k[2] = z->flags & ZONE_PSEUDO;
}

static void add_zones(struct ordering *o)
{
	const size_t n = o->from->zones.n;
	_free_ struct sort_row *rows = sort_rows_new(n);

	o->zones = mem_zalloc(n + 1, sizeof(*o->zones));
	for (size_t i = 0; i < n; i++)
		set_keys(o, &rows[i]);
	/* Those that are alike keep the order in which each profile had them. */
	sort_rows(rows, n);
	for (size_t i = 0; i < n; i++) {
		struct zone z = o->from->zones.at[rows[i].i];

		z.name = ordered_text(o, z.name);
		z.src_file = ordered_text(o, z.src_file);
		z.note = ordered_text(o, z.note);
		z.module = ordered_module(o, z.module);
		z.function = o->functions[z.function];
		o->zones[rows[i].i] = profile_zone(o->to, &z);
	}
}

static uint32_t add_edge(struct ordering *o, uint32_t row, uint32_t parent, uint32_t zone)
{
	uint32_t at = profile_zone_edge(o->to, parent, zone);

	o->to->zone_edges.at[at] = o->from->zone_edges.at[row];
	o->to->zone_edges.at[at].parent = parent;
	o->to->zone_edges.at[at].zone = zone;
	return at;
}

static void add_edges(struct ordering *o)
{
	const size_t n = o->from->zone_edges.n;
	_free_ uint32_t *parent = mem_zalloc(n, sizeof(*parent));
	_free_ uint32_t *label = mem_zalloc(n, sizeof(*label));

	for (size_t i = 1; i < n; i++) {
		parent[i] = o->from->zone_edges.at[i].parent;
		label[i] = o->zones[o->from->zone_edges.at[i].zone];
	}
	o->edges = order_tree(o, &(struct tree_shape){parent, label, n}, add_edge);
}

static void add_threads(struct ordering *o)
{
	for (size_t i = 0; i < o->from->zone_threads.n; i++) {
		struct zone_in_thread t = o->from->zone_threads.at[i];

		t.zone = o->zones[t.zone];
		t.thread = o->threads[t.thread];
		vec_push(&o->to->zone_threads, t);
	}
}

static void add_hist(struct ordering *o)
{
	for (size_t i = 0; i < o->from->zone_hist.n; i++) {
		struct zone_bin b = o->from->zone_hist.at[i];

		b.zone = o->zones[b.zone];
		vec_push(&o->to->zone_hist, b);
	}
}

static void add_values(struct ordering *o)
{
	const size_t n = o->from->zone_values.n;
	_free_ struct sort_row *rows = sort_rows_new(n);

	for (size_t i = 0; i < n; i++) {
		rows[i].k[0] = o->rank[o->from->zone_values.at[i].name];
		rows[i].k[1] = o->zones[o->from->zone_values.at[i].zone];
	}
	sort_rows(rows, n);
	for (size_t i = 0; i < n; i++) {
		struct zone_value v = o->from->zone_values.at[rows[i].i];

		v.name = ordered_text(o, v.name);
		v.zone = o->zones[v.zone];
		vec_push(&o->to->zone_values, v);
	}
}

void order_zones(struct ordering *o)
{
	add_zones(o);
	add_edges(o);
	add_threads(o);
	add_hist(o);
	add_values(o);
}
