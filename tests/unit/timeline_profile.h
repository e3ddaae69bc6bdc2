/*
 * timeline_profile: timelines made by hand, event by event, for the tests of what reads them.
 */
#ifndef TESTS_TIMELINE_PROFILE_H
#define TESTS_TIMELINE_PROFILE_H

#include "model/timed_event.h"

#include "small_profile.h"

/* Threads main (10/10) and worker (10/11) of "prog"; 1,000 ns. */
static inline struct profile *timeline_profile(void)
{
	struct profile *p = profile_new();

	profile_add_part(p, PART_EVENTS);
	p->duration_ns = 1000;
	small_thread(p, 10, 10, "main", "prog");
	small_thread(p, 10, 11, "worker", "prog");
	return p;
}

/* The last event, for what the next functions do not set. */
static inline struct timed_event *timeline_last(struct profile *p)
{
	return &p->events.at[p->events.n - 1];
}

/* @name: of a function; "": none. */
static inline void timeline_put(struct profile *p, uint64_t time_ns, uint32_t thread,
				uint32_t coroutine, uint32_t kind, const char *name, int64_t value)
{
	vec_push(&p->events,
		 ((struct timed_event){.time_ns = time_ns,
				       .thread = thread,
				       .coroutine = coroutine,
				       .event = kind,
				       .frame = *name ? small_frame(p, name, strlen(name)) : 0,
				       .value1 = value}));
}

/* The same with a text, as arguments, reasons and conditions are. */
static inline void timeline_put_text(struct profile *p, uint64_t time_ns, uint32_t thread,
				     uint32_t kind, const char *name, int64_t value,
				     const char *text)
{
	timeline_put(p, time_ns, thread, 0, kind, name, value);
	timeline_last(p)->argument = intern_add(&p->strings, text);
}

/* A call of the main thread. */
static inline void timeline_call(struct profile *p, uint64_t time_ns, const char *name)
{
	timeline_put(p, time_ns, 0, 0, EVENT_CALL, name, 0);
}

static inline void timeline_return(struct profile *p, uint64_t time_ns, const char *name,
				   int64_t ns)
{
	timeline_put(p, time_ns, 0, 0, EVENT_RETURN, name, ns);
}

#endif
