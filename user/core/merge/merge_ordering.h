/*
 * merge_ordering: what the files that put merged rows in order share. For merge/ only.
 */
#ifndef MERGE_MERGE_ORDERING_H
#define MERGE_MERGE_ORDERING_H

#include "merge/merge_state.h"

/* Old numbers → new ones, of the rows of @from in @to; texts by their rank in order of bytes. */
struct ordering {
	struct merge *m;
	const struct profile *from;
	struct profile *to;
	uint32_t *rank, *texts; /* by string: the latter 0 until it is asked for */
	uint32_t *functions, *frames, *nodes, *threads, *metrics, *reasons, *zones, *edges,
		*origins;
	struct map builds; /* path → its one build-id, or BUILDS_SEVERAL */
};
#define BUILDS_SEVERAL UINT32_MAX

/* A row and what orders it; equal ones stand as they came. */
struct sort_row {
	uint64_t k[5];
	uint32_t i;
};

/* @n of them, zeroed but for i, the caller's. */
struct sort_row *sort_rows_new(size_t n);
void sort_rows(struct sort_row *, size_t n);

uint32_t ordered_text(struct ordering *, uint32_t text);
static inline uint64_t ordered_pair(const struct ordering *o, uint32_t a, uint32_t b)
{
	return (uint64_t)o->rank[a] << 32 | o->rank[b];
}
/* The module as functions with a name have it, by its number in @to. */
uint32_t ordered_module(struct ordering *, uint32_t module);
/* The build-id that goes with it, a string of @from. */
uint32_t ordered_build(const struct ordering *, uint32_t module);

/* A tree of @n rows, row 0 its root: calls @add for each other one, level by level and in order of
 * the parent's new number and the label. The new number is what @add returns. */
struct tree_shape {
	const uint32_t *parent, *label; /* by row; labels are new numbers */
	size_t n;
};
uint32_t *order_tree(struct ordering *, const struct tree_shape *,
		     uint32_t (*add)(struct ordering *, uint32_t row, uint32_t parent,
				     uint32_t label));

void order_origins(struct ordering *);
void order_stacks(struct ordering *);
void order_threads(struct ordering *);
void order_samples(struct ordering *);
void order_zones(struct ordering *);
void order_source(struct ordering *);

#endif
