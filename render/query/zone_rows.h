/*
 * zone_rows: the zones of a selection in its order, for every table and export of zones.
 */
#ifndef QUERY_ZONE_ROWS_H
#define QUERY_ZONE_ROWS_H

#include "model/profile.h"
#include "query/selection.h"
#include "query/zone_events.h"

struct zone_rows {
	VEC(struct zone_row) rows;
	struct zone_events events; /* of the whole profile; the rows point into it */
	bool of_threads; /* --thread or --pid: only counts, total, self, min and max are known */
};

/* By --sort, else by total, largest first; equal ones by name. -EINVAL for a bad pattern, condition
 * or column, -ENOENT for a --zone, --thread or --pid that nothing matches, each with a text. To be
 * released in either case, and not to be moved before. */
int zone_rows_build(const struct profile *, const struct selection *, struct zone_rows *out);
/* Whether --sort can name such a column of them. */
bool zone_rows_have(const struct zone_rows *, const char *sort);
void zone_rows_release(struct zone_rows *);

#endif
