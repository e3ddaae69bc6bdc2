/*
 * own_tracks: what the names of tracks say in traces that eprof itself exported of a timeline:
 * "waits", "profiler", "coroutine 3, before the timeline". For perfetto.c, trace_event.c.
 */
#ifndef IMPORT_OWN_TRACKS_H
#define IMPORT_OWN_TRACKS_H

#include "import_json/trace_slices.h"

enum track_use {
	TRACK_CALLS,
	TRACK_WAITS,   /* its slices are waits off the CPU */
	TRACK_SAVES,   /* in its slices a profiler saved events */
	TRACK_NOTHING, /* what is on it is not read */
};

struct own_track {
	enum track_use use;
	uint32_t coroutine;
	bool before;  /* its calls began before the timeline */
	bool unknown; /* no name of eprof's: a stack of its own */
};

/* What the name of a track below a thread's says. */
struct own_track own_track_of(struct span name);

#define OWN_TRACKS                                                                    \
	(1u << 30) /* from which number on: CHROME_TRACKS of export/chrome_timeline.h \
		    */

/* The Trace Event Format has no tracks but threads: such a track is one that is called after its
 * thread, as "main 10: waits". Splits the name; false: it is no such one. */
bool own_track_split(struct span name, uint32_t *tid, struct span *track);

/* What "ended by" says. */
enum trace_end own_end_of(struct span text);

/* A wait, from and to in ns; @reason: a text, "off CPU" says none. */
void own_wait_begin(struct builder *, uint32_t thread, uint32_t reason, int64_t from);
void own_wait_end(struct builder *, uint32_t thread, int64_t from, int64_t to);
/* That @n events were saved. */
void own_save_begin(struct builder *, uint32_t thread, int64_t n, int64_t from);
void own_save_end(struct builder *, uint32_t thread, int64_t to);

#endif
