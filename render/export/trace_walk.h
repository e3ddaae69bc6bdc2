/*
 * trace_walk: goes once through the events of a timeline, and makes all of them that a trace has:
 * slices, marks, and how much the profiler worked. For the exports chrome and perfetto.
 */
#ifndef EXPORT_TRACE_WALK_H
#define EXPORT_TRACE_WALK_H

#include "export/export.h"
#include "export/trace_marks.h"
#include "export/trace_tracks.h"
#include "timeline/own_work.h"

struct trace_writer {
	struct track_writer tracks;
	void (*mark)(void *data, const struct mark *);
};

/* What is known at the end. */
struct trace_sums {
	bool allocations; /* the timeline has them */
	own_levels own_work;
};

/* Of the events of in->part. @first: threads_first() of it. *@sums: to be released by
 * trace_sums_release() in either case. -ENOENT with a text for --net, if times are not known net;
 * errors of event_cursor_release(). */
int trace_walk(const struct export_input *, const uint32_t *first, const struct trace_writer *,
	       void *data, struct trace_sums *);
void trace_sums_release(struct trace_sums *);

#endif
