/*
 * open_slices: what a thread did as calls that begin and end, for importers: from one event to the
 * next it is the time of the innermost open call, which becomes a sample of that length. And frames
 * of functions that have a name, a file and a line at most.
 */
#ifndef IMPORT_OPEN_SLICES_H
#define IMPORT_OPEN_SLICES_H

#include "import/builder.h"

/* A frame of the function @name, "(anonymous)" where that is empty, which is declared at @file and
 * @line (0 unknown). */
uint32_t slice_frame(struct builder *, struct span name, struct span file, uint32_t line);

/* The same, where the line that is executed is known, too. */
uint32_t slice_frame_at(struct builder *, struct span name, struct span file, uint32_t line,
			uint32_t executed);

struct open_slice {
	uint32_t frame, node;
};

struct open_slices {
	struct builder *b;
	uint32_t metric, thread;
	bool counts;   /* the metric counts samples: a slice is as many as its value says */
	bool timeless; /* the axis is of no time: samples have none */
	int64_t at;    /* of the last event */
	VEC(struct open_slice) open;
};

/* Accounts for the time up to @at; a clock that goes back stands still. */
void open_slices_until(struct open_slices *, int64_t at);
void open_slices_begin(struct open_slices *, uint32_t frame, int64_t at);
/* Ends the innermost call. */
void open_slices_end(struct open_slices *, int64_t at);
/* The frame of the innermost call; 0: none is open. */
static inline uint32_t open_slices_top(const struct open_slices *s)
{
	return s->open.n ? s->open.at[s->open.n - 1].frame : 0;
}
/* For another thread: no call is open. Returns how many were. */
size_t open_slices_restart(struct open_slices *, uint32_t thread);
static inline void open_slices_release(struct open_slices *s)
{
	vec_release(&s->open);
}

#endif
