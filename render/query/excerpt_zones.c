#include "query/excerpt_zones.h"

#include <stdlib.h>

#include "query/filter.h"

/* The edges of zones that are listed, and those on the way to them. */
static void keep_edges(struct excerpt_zones *z, const bool *taken)
{
	const struct profile *from = z->from;

	z->edges = mem_zalloc(from->zone_edges.n + 1, sizeof(*z->edges));
	for (size_t i = from->zone_edges.n; i-- > 1;) {
		const struct zone_edge *e = &from->zone_edges.at[i];

		z->edges[i] |= z->row[e->zone] && (!taken || taken[i]);
		z->edges[e->parent] |= z->edges[i];
	}
}

static void add(struct excerpt_zones *z, uint32_t zone, size_t *n)
{
	if (!z->zones[zone])
		z->order[(*n)++] = zone;
	z->zones[zone] = true;
}

static void put_in_order(struct excerpt_zones *z)
{
	const struct profile *from = z->from;
	size_t n = 0;

	for (size_t i = 0; i < z->rows.rows.n; i++)
		add(z, z->rows.rows.at[i].zone, &n);
	for (size_t i = 1; i < from->zone_edges.n; i++)
		if (z->edges[i])
			add(z, from->zone_edges.at[i].zone, &n);
	/* The others are not taken: any order will do. */
	for (uint32_t i = 0; i < from->zones.n; i++)
		if (!z->zones[i])
			z->order[n++] = i;
}

int excerpt_zones_init(struct excerpt_zones *z, const struct profile *from,
		       const struct selection *sel)
{
	_free_ bool *taken = NULL;
	int rc = filter_zones(from, sel, &taken);

	*z = (struct excerpt_zones){.from = from};
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

void excerpt_zones_release(struct excerpt_zones *z)
{
	zone_rows_release(&z->rows);
	free(z->zones);
	free(z->edges);
	free(z->order);
	free(z->row);
}

void excerpt_zones_place(const struct excerpt_zones *z, uint32_t i, struct zone *zone)
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
