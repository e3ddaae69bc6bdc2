/*
 * filter: a selection applied to one profile: which rows count, and which frames are left out.
 * Patterns are matched once a function, focus and ignore are judged once a node: all work is
 * linear in the tables. For what builds on samples (tree, threads, exports of rows).
 */
#ifndef MODEL_FILTER_H
#define MODEL_FILTER_H

#include "model/profile.h"
#include "model/selection.h"

struct filter {
	const struct profile *profile; /* borrowed */
	uint32_t metric;
	uint64_t from_ns, to_ns; /* [from, to) */
	bool *thread;		 /* per thread: selected; NULL: all */
	bool *node;		 /* per node: its stack passes focus and ignore; NULL: all */
	bool *omit;		 /* per function: to be left out; NULL: none */
};

/* -ENOENT for an unknown metric, -EINVAL for a bad pattern, each with a text. The filter is to be
 * released in either case; the profile must outlive it. */
int filter_init(struct filter *, const struct profile *, const struct selection *);
void filter_release(struct filter *);

/* The value of sample @row, 0 when the selection does not take it. */
int64_t filter_value(const struct filter *, size_t row);

#endif
