#include "query/excerpt_zones.h"

#include "query/filter.h"
#include "query/zone_rows.h"

#define LEFT_OUT UINT32_MAX

/* Per row of zone_edges whether it is of a zone that @rows has, or on the way to one. */
static bool *keep_edges(const struct profile *from, const struct zone_rows *rows, const bool *taken)
{
	bool *kept = mem_zalloc(from->zone_edges.n + 1, sizeof(*kept));
	_free_ bool *listed = mem_zalloc(from->zones.n + 1, sizeof(*listed));

	for (size_t i = 0; i < rows->rows.n; i++)
		listed[rows->rows.at[i].zone] = true;
	for (size_t i = from->zone_edges.n; i-- > 1;) {
		const struct zone_edge *e = &from->zone_edges.at[i];

		kept[i] |= listed[e->zone] && (!taken || taken[i]);
		kept[e->parent] |= kept[i];
	}
	return kept;
}

static void copy_zone(struct copying *names, const struct zone *zone, uint32_t *number)
{
	struct zone z = *zone;

	if (*number != LEFT_OUT)
		return;
	z.name = copy_text(names, z.name);
	z.src_file = copy_text(names, z.src_file);
	z.note = copy_text(names, z.note);
	z.module = copy_module(names, z.module);
	z.function = copy_function(names, z.function);
	*number = profile_zone(names->to, &z);
}

static void copy_edges(struct copying *names, const bool *kept, uint32_t *zones, uint32_t *edges)
{
	const struct profile *from = names->from;

	for (size_t i = 1; i < from->zone_edges.n; i++) {
		struct zone_edge e = from->zone_edges.at[i];

		if (!kept[i])
			continue;
		copy_zone(names, &from->zones.at[e.zone], &zones[e.zone]);
		e.zone = zones[e.zone];
		e.parent = edges[e.parent];
		edges[i] = (uint32_t)names->to->zone_edges.n;
		vec_push(&names->to->zone_edges, e);
	}
}

/* The tables that refer to zones. */
static void copy_details(struct copying *names, const uint32_t *zones, const uint32_t *threads)
{
	const struct profile *from = names->from;
	struct profile *to = names->to;

	for (size_t i = 0; i < from->zone_threads.n; i++) {
		struct zone_in_thread e = from->zone_threads.at[i];

		if (zones[e.zone] == LEFT_OUT || threads[e.thread] == LEFT_OUT)
			continue;
		e.zone = zones[e.zone];
		e.thread = threads[e.thread];
		vec_push(&to->zone_threads, e);
	}
	for (size_t i = 0; i < from->zone_hist.n; i++) {
		struct zone_bin e = from->zone_hist.at[i];

		e.zone = zones[e.zone];
		if (e.zone != LEFT_OUT)
			vec_push(&to->zone_hist, e);
	}
	for (size_t i = 0; i < from->zone_values.n; i++) {
		struct zone_value e = from->zone_values.at[i];

		e.zone = zones[e.zone];
		e.name = copy_text(names, e.name);
		if (e.zone != LEFT_OUT)
			vec_push(&to->zone_values, e);
	}
}

static void copy_all(struct copying *names, const struct zone_rows *rows, const bool *taken,
		     const uint32_t *threads, uint32_t *edges)
{
	const struct profile *from = names->from;
	_free_ uint32_t *zones = mem_zalloc(from->zones.n + 1, sizeof(*zones));
	_free_ bool *kept = keep_edges(from, rows, taken);

	memset(zones, 0xff, from->zones.n * sizeof(*zones));
	for (size_t i = 0; i < rows->rows.n; i++)
		copy_zone(names, &rows->rows.at[i].at, &zones[rows->rows.at[i].zone]);
	copy_edges(names, kept, zones, edges);
	copy_details(names, zones, threads);
}

int excerpt_zones(struct copying *names, const struct selection *sel, const uint32_t *threads,
		  uint32_t *edges)
{
	_free_ bool *taken = NULL;
	struct zone_rows rows = {0};
	int rc = filter_zones(names->from, sel, &taken);

	if (rc)
		return rc;
	rc = zone_rows_build(names->from, sel, &rows);
	if (!rc)
		copy_all(names, &rows, taken, threads, edges);
	zone_rows_release(&rows);
	return rc;
}
