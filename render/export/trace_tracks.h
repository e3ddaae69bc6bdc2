/*
 * trace_tracks: a timeline as the viewers of traces want it: on each track calls nest and follow
 * each other in order of time. For the exports chrome and perfetto.
 *
 * Each lane (timeline/timed_calls.h) is a track. Those of its calls whose beginning is not in the
 * profile have a track of their own: when they began was computed from how long they took, so they
 * may overlap others. What overlaps on one track nevertheless ends with the call around it.
 */
#ifndef EXPORT_TRACE_TRACKS_H
#define EXPORT_TRACE_TRACKS_H

#include "model/profile.h"
#include "timeline/timed_calls.h"

struct track {
	uint32_t lane;	    /* of calls.lanes */
	uint32_t thread;    /* of its profile */
	uint32_t coroutine; /* 0: the thread's own stack */
	bool cut;	    /* of calls that began before the timeline */
};

struct track_slice {
	const struct call *call;
	uint64_t start_ns, end_ns;
	uint32_t end_row; /* CALLS_NONE: it ends with the timeline */
};

/* What is told, in this order: a track, then beginnings and ends of its slices, innermost ends
 * first. end may be NULL. */
struct track_writer {
	void (*track)(void *data, const struct track *);
	void (*begin)(void *data, const struct track_slice *);
	void (*end)(void *data, const struct track_slice *);
};

void tracks_walk(const struct calls *, const struct track_writer *, void *data);

/* "coroutine 3", "before the timeline"; NULL for a thread's own stack, which is called as the
 * thread. Freed by the caller. */
char *track_name(const struct track *);

/* How an end that was no return is called: "exception"; NULL for a return. */
const char *track_ended_by(const struct call *);

#endif
