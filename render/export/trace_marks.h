/*
 * trace_marks: what a timeline tells besides calls, in order of time: exceptions, triggers, gaps,
 * waits and who ended them, the memory that was live, and when the profiler saved events. For the
 * exports chrome and perfetto.
 */
#ifndef EXPORT_TRACE_MARKS_H
#define EXPORT_TRACE_MARKS_H

#include "model/profile.h"

enum mark_kind {
	MARK_INSTANT,
	MARK_WAKES,	 /* a thread makes another one ready to run; flow is set */
	MARK_RUNS,	 /* this one runs again; flow is that of the wake-up */
	MARK_WAIT_BEGIN, /* the thread leaves the CPU */
	MARK_WAIT_END,	 /* since_ns: when it began */
	MARK_LIVE,	 /* value: bytes that its process has live of those allocated so far */
	MARK_SAVE_BEGIN, /* the profiler saves events; value: how many */
	MARK_SAVE_END,	 /* since_ns: when it began */
};

struct mark {
	enum mark_kind kind;
	const struct timed_event *event; /* NULL: the timeline's end, which ends waits and saves */
	uint64_t time_ns, since_ns;
	uint32_t thread; /* as threads_first() has it */
	uint32_t flow;	 /* from 1 */
	int64_t value;
	const char *name;   /* "exception thrown"; of waits their reason */
	const char *detail; /* the function, the condition; "" none */
};

/* What slices are called in which the profiler saved events, and their track. */
#define TRACE_SAVE	 "events saved"
#define TRACE_SAVE_TRACK "profiler"

/* Makes marks of events, one after the other, and calls @put for each. @first: threads_first() of
 * the profile; both are borrowed. */
struct marks *marks_new(const struct profile *, const uint32_t *first,
			void (*put)(void *data, const struct mark *), void *data);
void marks_take(struct marks *, const struct timed_event *);
/* Ends what is open, and frees it. Whether there were allocations. */
bool marks_finish(struct marks *);

/* What samples tell of the whole target over time, where the timeline does not: for each of
 * LEVELS parts of the capture, which are equally long. */
#define LEVELS 1000
struct levels {
	const char *name; /* "CPUs busy", "live bytes"; NULL: the profile has none */
	double at[LEVELS];
};
/* How many CPUs were busy, by the samples of time on CPUs. */
void levels_cpu(const struct profile *, struct levels *out);
/* Live bytes, by the samples of allocations; for a timeline that has no allocations itself. */
void levels_live(const struct profile *, struct levels *out);
/* When a part begins. */
uint64_t levels_time(const struct profile *, size_t part);

#endif
