/*
 * zone_rows: the zones of a selection, in the order that it asks for; what every table and export
 * of zones shows. And which zones a pattern means.
 */
#ifndef MODEL_ZONE_ROWS_H
#define MODEL_ZONE_ROWS_H

#include "model/profile.h"
#include "model/selection.h"
#include "model/zone_column.h"

struct zone_row {
	uint32_t zone;	/* row of zones */
	struct zone at; /* its figures; of the selected threads where the selection names some */
};

struct zone_rows {
	VEC(struct zone_row) rows;
	bool of_threads; /* --thread or --pid: only counts, total, self, min and max are known */
};

/* By --sort, else by total, largest first; equal ones by name. -EINVAL for a bad pattern, sort or
 * condition, -ENOENT for a --zone that no zone matches, each with a text. To be released in either
 * case. */
int zone_rows_build(const struct profile *, const struct selection *, struct zone_rows *out);
void zone_rows_release(struct zone_rows *);

/* The column of --sort and its direction; "-column" turns it round. -EINVAL with a text. */
int zone_sort_parse(const char *text, const struct zone_column **column, bool *ascending);

/* *@out: per zone whether @pattern means it: by glob, /regular expression/ or plain equality, on
 * the name as it is or without its parameter list. NULL for a NULL pattern. Freed by the caller.
 * -EINVAL for a bad pattern, -ENOENT with the largest zones' names when it means none. */
int zone_match(const struct profile *, const char *pattern, bool **out);

#endif
