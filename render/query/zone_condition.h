/*
 * zone_condition: which zones the user means: --zone by a pattern of their names, --where by a
 * condition on a column:
 *
 *	mean>1.5ms	times as in --from; counts as numbers, also 1e6; shares in percent
 *	counts<=1000	operators: > >= < <= = !=
 *	module=*libc*	texts by pattern (pattern.h), with = and !=
 *	page-faults>5	events (zone_events.h) by their exact names, as numbers
 */
#ifndef QUERY_ZONE_CONDITION_H
#define QUERY_ZONE_CONDITION_H

#include "select/pattern.h"
#include "query/zone_events.h"

/* *@out: per zone whether @pattern means it: by glob, /regular expression/ or plain equality, on
 * the name as it is or without its parameter list. NULL for a NULL pattern. Freed by the caller.
 * -EINVAL for a bad pattern, -ENOENT with the largest zones' names when it means none. */
int zone_match(const struct profile *, const char *pattern, bool **out);

struct zone_condition {
	const struct zone_column *column;
	unsigned holds; /* bits: for a value less than, equal to, greater than the number */
	long double number;
	struct pattern *pattern; /* owned; of a text column */
};

/* -EINVAL with a text that quotes @text. To be released when it is 0. Before there is a profile
 * @events is NULL: a name that is no column may then be an event's, and column stays NULL. */
int zone_condition_init(struct zone_condition *, const struct zone_events *, const char *text);
bool zone_condition_holds(const struct zone_condition *, const struct profile *,
			  const struct zone_row *);
void zone_condition_release(struct zone_condition *);

#endif
