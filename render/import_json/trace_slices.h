/*
 * trace_slices: the slices of a trace (phases B, E and X of the Trace Event Format), which a file
 * has in any order, as samples: each thread's innermost slice from one event to the next. For
 * trace_event.c.
 */
#ifndef IMPORT_TRACE_SLICES_H
#define IMPORT_TRACE_SLICES_H

#include "import/builder.h"

/* A begin or an end. */
struct trace_edge {
	int64_t at, other; /* ns; of an X the slice's other edge */
	uint32_t thread;   /* the profile's */
	uint32_t frame;
	uint32_t name;	 /* 0: an end without one, which ends whatever is open */
	uint32_t number; /* of the event in the file */
	bool whole;	 /* of an X */
};

struct trace_edges {
	VEC(struct trace_edge) begins, ends;
};

/* Their samples, of the metric "time". Ends of what is not open are left out, and what has no end
 * lasts to the thread's last event; the ledger has both. The edges are sorted. */
void trace_slices_put(struct trace_edges *, struct builder *, uint32_t metric);
static inline void trace_edges_release(struct trace_edges *e)
{
	vec_release(&e->begins);
	vec_release(&e->ends);
}

#endif
