/*
 * callgraph: who called whom, as cProfile and callgrind have it: sums per pair of caller and
 *callee, no stacks. The call tree that reports want is made of it by gprof's assumption: what a
 *function spent below is shared among its callers as its own cost is. Sums per function and per
 *pair stay exact, to the last unit; where a function is called from several places, how its
 *callees' costs are shared among these is an estimate.
 *
 * A call that closes a circle (recursion) leads to no deeper place: what it counts goes to the
 * places that the function has. Where a function has very many, the smaller ones share one below
 * CALLGRAPH_REST. Time and memory are linear in the pairs.
 *
 *	callgraph_init(&g, values, inclusive);
 *	callgraph_call(&g, caller, callee, tag, v); …
 *	callgraph_functions(&g, n);
 *	callgraph_root(&g, function, v); …
 *	callgraph_expand(&g);
 *	for (i = CALLGRAPH_REST + 1; i < g.places.n; i++) …
 *	callgraph_release(&g);
 */
#ifndef IMPORT_CALLGRAPH_H
#define IMPORT_CALLGRAPH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

#define CALLGRAPH_OTHERS "[other callers]" /* what reports call CALLGRAPH_REST */
#define CALLGRAPH_VALUES 32		   /* of a pair, at most */

struct callgraph_edge {
	uint32_t caller, callee;
	uint32_t tag; /* the importer's: the line of the call */
	bool closes;  /* set by callgraph_order(): it closes a circle */
};

#define CALLGRAPH_ROOT 0 /* the first place: of no function */
#define CALLGRAPH_REST 1 /* the second: CALLGRAPH_OTHERS */
#define CALLGRAPH_NONE UINT32_MAX
struct callgraph_place {
	uint32_t parent;   /* smaller than the own; of the first two 0 */
	uint32_t function; /* CALLGRAPH_NONE of the first two */
	uint32_t edge;	   /* that led here; CALLGRAPH_NONE: the caller is unknown */
	uint32_t next;	   /* while places are made: of the same function; 0: the last */
	bool moved;	   /* its share is at CALLGRAPH_REST: it is empty, with nothing below */
};

struct callgraph_range {
	size_t first, n; /* in callgraph.order */
};

struct callgraph {
	uint32_t n_functions, n_values;
	uint32_t inclusive; /* bit k: value k holds that of the calls below, so recursion repeats
			     * it; value 0 always does: by it costs are shared */
	VEC(struct callgraph_edge) edges;
	VEC(int64_t) edge_values; /* n_values an edge */
	int64_t *root_values;	  /* n_values a function: what it has from no caller */

	uint32_t *sequence; /* functions, callers before callees */

	VEC(struct callgraph_place) places;
	VEC(int64_t) place_values;  /* n_values a place */
	struct callgraph_range *of; /* per function: its places */
	VEC(uint32_t) order;
};

void callgraph_init(struct callgraph *, uint32_t values, uint32_t inclusive);
/* @v: n_values of them. Returns the edge's number. */
uint32_t callgraph_call(struct callgraph *, uint32_t caller, uint32_t callee, uint32_t tag,
			const int64_t *v);
/* How many functions there are, once all calls are known; before roots. */
void callgraph_functions(struct callgraph *, uint32_t n);
/* Adds to what the function has from no caller. */
void callgraph_root(struct callgraph *, uint32_t function, const int64_t *v);
/* Finds an order of callers before callees, and what closes a circle; roots that are there by then
 * are where circles are entered. Once; callgraph_expand() calls it where the caller has not. */
void callgraph_order(struct callgraph *);
void callgraph_expand(struct callgraph *);
void callgraph_release(struct callgraph *);

static inline const int64_t *callgraph_values(const struct callgraph *g, uint32_t place)
{
	return &g->place_values.at[(size_t)place * g->n_values];
}

/* Shares @value among the places of @function by value @k of theirs: shares[i] is that of the place
 * order.at[of[function].first + i], and they add up to @value. */
void callgraph_split(const struct callgraph *, uint32_t function, uint32_t k, int64_t value,
		     int64_t *shares);

#endif
