/*
 * trace_tracks: a timeline as the viewers of traces want it: on each track calls nest and follow
 * each other in order of time. For the exports chrome and perfetto.
 *
 * Each lane (timeline/timed_calls.h) is a track. Those of its calls whose beginning is not in the
 * profile have a track of their own: when they began was computed from how long they took, so they
 * may overlap others. What overlaps on one track nevertheless ends with the call around it. They
 * are told at the end; all others while the events are taken.
 */
#ifndef EXPORT_TRACE_TRACKS_H
#define EXPORT_TRACE_TRACKS_H

#include "model/profile.h"
#include "timeline/call_follower.h"

struct track {
	uint32_t lane;	    /* from 0; a lane's two tracks have the same */
	uint32_t thread;    /* of its profile */
	uint32_t coroutine; /* 0: the thread's own stack */
	bool cut;	    /* of calls that began before the timeline */
};

struct track_slice {
	struct track track;
	const struct followed_call *call; /* until its end without end_ns and flags of that */
	uint64_t start_ns;
	uint64_t end_ns; /* when it ends; of a track that is cut when it begins, too */
	const struct timed_event *end;	    /* that ended it; NULL: none, or it is not known */
	const struct followed_call *around; /* the call around it, when it ends; NULL: none */
};

/* What is told of each track: itself, then beginnings and ends of its slices in order, innermost
 * ends first. Those of different tracks come as the events do. begin and end may be NULL. */
struct track_writer {
	void (*track)(void *data, const struct track *);
	void (*begin)(void *data, const struct track_slice *);
	void (*end)(void *data, const struct track_slice *);
};

struct tracks *tracks_new(const struct profile *, const struct track_writer *, void *data);
/* As call_follower_take(). */
void tracks_take(struct tracks *, const struct timed_event *, uint32_t row, uint64_t time_ns);
/* Ends what is open, tells what began before, and frees it. */
void tracks_finish(struct tracks *, uint64_t end_ns);

/* "coroutine 3", "before the timeline"; NULL for a thread's own stack, which is called as the
 * thread. Freed by the caller. */
char *track_name(const struct track *);

/* How an end that was no return is called: "exception"; NULL for a return. */
const char *track_ended_by(const struct call *);

#endif
