/*
 * zone_condition: what --where says of a column of zones:
 *
 *	mean>1.5ms	times as in --from; counts as numbers, also 1e6; shares in percent
 *	counts<=1000	operators: > >= < <= = !=
 *	module=*libc*	texts by pattern (pattern.h), with = and !=
 *	page-faults>5	events (zone_events.h) by their exact names, as numbers
 */
#ifndef QUERY_ZONE_CONDITION_H
#define QUERY_ZONE_CONDITION_H

#include "model/pattern.h"
#include "query/zone_events.h"

enum zone_operator { ZONE_GT, ZONE_GE, ZONE_LT, ZONE_LE, ZONE_EQ, ZONE_NE };

struct zone_condition {
	const struct zone_column *column;
	enum zone_operator op;
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
