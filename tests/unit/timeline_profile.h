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

/* outer 100 to 900 in main, in it parse twice and read, which waits for a lock; worker's job is
 * left by an exception. */
static inline struct profile *timeline_known(void)
{
	struct profile *p = timeline_profile();

	timeline_put_text(p, 100, 0, EVENT_CALL, "outer", 0, "n=3");
	timeline_call(p, 150, "parse");
	timeline_put(p, 200, 1, 0, EVENT_CALL, "job", 0);
	timeline_return(p, 350, "parse", 200);
	timeline_put(p, 360, 1, 0, EVENT_EXCEPTION, "_Unwind_RaiseException", EVENT_THROWN);
	timeline_put(p, 400, 1, 0, EVENT_EXCEPTION, "job", EVENT_PASSED);
	timeline_put(p, 410, 1, 0, EVENT_EXCEPTION, "__cxa_begin_catch", EVENT_CAUGHT);
	timeline_call(p, 450, "read");
	timeline_put_text(p, 460, 0, EVENT_SWITCH_OUT, "", 'S', "futex");
	timeline_put(p, 560, 0, 0, EVENT_SWITCH_IN, "", 100);
	timeline_return(p, 610, "read", 160);
	timeline_call(p, 620, "parse");
	timeline_return(p, 820, "parse", 200);
	timeline_return(p, 900, "outer", 800);
	timeline_last(p)->value2 = -7;
	timeline_put_text(p, 950, 1, EVENT_TRIGGER, "", 0, "job>1us");
	return p;
}

#endif
