/*
 * trace_slices: the slices of a trace, which a file has in any order, as calls of a timeline; and
 * as samples, each thread's innermost slice from one event to the next. For trace_event.c,
 * perfetto.c.
 */
#ifndef IMPORT_TRACE_SLICES_H
#define IMPORT_TRACE_SLICES_H

#include "import/builder.h"

/* Where slices nest. */
struct trace_lane {
	uint32_t thread; /* the profile's */
	uint32_t coroutine;
	bool began_before; /* the beginnings are not events of the timeline */
};

/* How a slice ended. */
enum trace_end {
	TRACE_RETURNED,
	TRACE_PASSED, /* by an exception */
	TRACE_JUMPED, /* by longjmp */
	TRACE_UNSEEN, /* at its beginning, as nobody saw when */
	TRACE_CUT,    /* it did not: its end is no event of the timeline */
};

/* A begin or an end. */
struct trace_edge {
	int64_t at, other; /* ns; of an X the slice's other edge */
	int64_t returned;
	uint32_t lane;
	uint32_t frame;
	uint32_t name;	   /* 0: an end without one, which ends whatever is open */
	uint32_t number;   /* of the event in the file */
	uint32_t argument; /* text of a begin */
	uint8_t end;	   /* enum trace_end */
	bool whole;	   /* of an X */
	bool of_c;	   /* begins a call of another module */
};

struct trace_edges {
	VEC(struct trace_edge) begins, ends;
	VEC(struct trace_lane) lanes;
};

/* What becomes of slices. */
struct trace_slices_as {
	bool calls;
	bool samples;
	uint32_t metric; /* of the samples, and whose ledger has what was left out */
};

/* The lane of a thread's own stack, for traces that know no others: its number is the thread's. */
uint32_t trace_lane_of(struct trace_edges *, uint32_t thread);

/* Adds them. Ends of what is not open are left out, and what has no end lasts to the thread's last
 * event; the ledger has both. The edges are sorted. */
void trace_slices_put(struct trace_edges *, struct builder *, const struct trace_slices_as *);
static inline void trace_edges_release(struct trace_edges *e)
{
	vec_release(&e->begins);
	vec_release(&e->ends);
	vec_release(&e->lanes);
}

#endif
