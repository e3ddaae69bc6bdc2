/*
 * filter: a selection applied to one profile: which samples count, and which frames are left out.
 * Patterns are matched once per function, focus and ignore once per node, so all work is linear in
 * the tables. For code that reads samples (tree, threads, exports of rows).
 */
#ifndef QUERY_FILTER_H
#define QUERY_FILTER_H

#include "query/measure.h"
#include "model/profile.h"
#include "query/selection.h"
#include "query/wait_class.h"

struct filter {
	const struct profile *profile; /* borrowed */
	struct measure measure;
	uint64_t from_ns, to_ns; /* [from, to) */
	bool *thread;		 /* per thread: selected; NULL: all */
	bool *node;		 /* per node: its stack passes focus and ignore; NULL: all */
	bool *omit;		 /* per function: to be left out; NULL: none */
	bool *zone;		 /* per row of zone_edges: in a selected zone; NULL: all */
	bool *reason;		 /* per row of reasons: selected; NULL: all */
	const uint8_t *wait; /* per sample: enum wait_class; NULL: idle waits are not left out */
	struct wait_classes waits; /* owned: those, where the selection keeps none */
};

/* -ENOENT for a metric, thread, process, function to focus on, zone, reason or time that the
 * profile does not have, -EINVAL for a bad pattern, each with a text. To be released in either
 * case; the profile must outlive it. A profile that has no metric has no samples either: measure.n
 * is 0. */
int filter_init(struct filter *, const struct profile *, const struct selection *);
void filter_release(struct filter *);

/* The first metric of which a sample has a reason; NULL: none has. */
const char *filter_metric_of_waits(const struct profile *);
/* Where --reason is given without --metric, sets the metric to that of waits. */
void filter_choose_metric(const struct profile *, struct selection *);

/* -ENOENT with a text where all options of a selection together leave none of the profile's
 * samples. No error where --thread, --pid and --zone select zones, too, and nothing else is given.
 */
int filter_check_any(const struct filter *, const struct selection *);

/* *@out: per row of zone_edges whether it or a row above it is a zone that --zone means; NULL where
 * it is not given. Freed by the caller. Errors of zone_match(). */
int filter_zones(const struct profile *, const struct selection *, bool **out);

/* *@out: per function whether its name, its module or its source file matches @text, as --focus,
 * --module and --file mean it; NULL for a NULL text. Freed by the caller. -EINVAL for a bad
 * pattern.
 */
enum filter_by { FILTER_NAME, FILTER_MODULE, FILTER_FILE };
int filter_functions(const struct profile *, const char *text, enum filter_by, bool **out);

/* Whether the selection takes sample @row, of whatever metric it is. */
bool filter_takes(const struct filter *, size_t row);
/* The value of sample @row, 0 when the selection does not take it. */
int64_t filter_value(const struct filter *, size_t row);

#endif
