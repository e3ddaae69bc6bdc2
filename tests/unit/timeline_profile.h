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
static inline struct timed_event *timeline_put(struct profile *p, uint64_t time_ns, uint32_t thread,
					       uint32_t coroutine, uint32_t kind, const char *name,
					       int64_t value)
{
	vec_push(&p->events,
		 ((struct timed_event){.time_ns = time_ns,
				       .thread = thread,
				       .coroutine = coroutine,
				       .event = kind,
				       .frame = *name ? small_frame(p, name, strlen(name)) : 0,
				       .value1 = value}));
	return timeline_last(p);
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

/*
 * 10,000 ns with prices: a call takes 1,005 ns to record, a return 500. So of main the profiler
 * takes 1000 to 2005 (f begins), 5000 to 6505 (coroutine 4, co), 9000 to 9500 (f ends); of worker
 * 3000 to 4505 (g, all of it while the profiler works).
 */
static inline struct profile *timeline_of_work(void)
{
	struct profile *p = timeline_profile();

	p->duration_ns = 10000;
	profile_price(p, "timeline: recording a call", "ns", 1005);
	profile_price(p, "timeline: recording a return", "ns", 500);
	timeline_call(p, 1000, "f");
	timeline_put(p, 3000, 1, 0, EVENT_CALL, "g", 0);
	timeline_put(p, 3200, 1, 0, EVENT_RETURN, "g", 200);
	timeline_put(p, 5000, 0, 4, EVENT_CALL, "co", 0);
	timeline_put(p, 5200, 0, 4, EVENT_RETURN, "co", 200);
	timeline_return(p, 9000, "f", 8000);
	return p;
}

/*
 * One with all kinds of events. Its calls, by thread:
 *
 *	main	f 10–60, in it g 20–50, in that f 30–40 ("n=3", returns -7), and h 55–57 of libh.so
 *		outer 70–95, in it inner 75–90 and deep 80–90, which an exception ended
 *		jump 100–120, in it left 105–120, which longjmp ended
 *		long 200–1000, which does not end
 *	worker	older 0–30 and newer 5–20, which began before; k 31–35; waits 140–170 ("lock")
 *	coroutine 7, of main, ends in worker: co 300–400
 */
static inline struct profile *timeline_of_all(void)
{
	struct profile *p = timeline_profile();
	struct timed_event *e;

	timeline_put(p, 10, 0, 0, EVENT_CALL, "f", 0);
	timeline_put(p, 20, 1, 0, EVENT_RETURN, "newer", 15);
	timeline_put(p, 20, 0, 0, EVENT_CALL, "g", 0);
	timeline_put(p, 30, 0, 0, EVENT_CALL, "f", 0)->argument = intern_add(&p->strings, "n=3");
	timeline_put(p, 30, 1, 0, EVENT_RETURN, "older", 40);
	timeline_put(p, 31, 1, 0, EVENT_CALL, "k", 0);
	timeline_put(p, 35, 1, 0, EVENT_RETURN, "k", 4);
	timeline_put(p, 40, 0, 0, EVENT_RETURN, "f", 10)->value2 = -7;
	timeline_put(p, 50, 0, 0, EVENT_RETURN, "g", 30);
	e = timeline_put(p, 55, 0, 0, EVENT_C_CALL, "h", 0);
	p->functions.at[p->frames.at[e->frame].function].module =
		profile_module(p, "/usr/lib/libh.so", "");
	e = timeline_put(p, 57, 0, 0, EVENT_C_RETURN, "", 2);
	e->frame = e[-1].frame;
	timeline_put(p, 60, 0, 0, EVENT_RETURN, "f", 50);
	timeline_put(p, 70, 0, 0, EVENT_CALL, "outer", 0);
	timeline_put(p, 75, 0, 0, EVENT_CALL, "inner", 0);
	timeline_put(p, 80, 0, 0, EVENT_CALL, "deep", 0);
	timeline_put(p, 85, 0, 0, EVENT_EXCEPTION, "_Unwind_RaiseException", EVENT_THROWN);
	timeline_put(p, 90, 0, 0, EVENT_EXCEPTION, "deep", EVENT_PASSED);
	timeline_put(p, 90, 0, 0, EVENT_EXCEPTION, "inner", EVENT_PASSED);
	timeline_put(p, 92, 0, 0, EVENT_EXCEPTION, "__cxa_begin_catch", EVENT_CAUGHT);
	timeline_put(p, 95, 0, 0, EVENT_RETURN, "outer", 25);
	timeline_put(p, 100, 0, 0, EVENT_CALL, "jump", 0);
	timeline_put(p, 105, 0, 0, EVENT_CALL, "left", 0);
	timeline_put(p, 120, 0, 0, EVENT_EXCEPTION, "left", EVENT_JUMPED);
	timeline_put(p, 120, 0, 0, EVENT_RETURN, "jump", 20);
	timeline_put(p, 130, 0, 0, EVENT_MALLOC, "malloc", 0x1000)->value2 = 64;
	timeline_put(p, 131, 1, 0, EVENT_CALLOC, "calloc", 0x2000)->value2 = 36;
	timeline_put(p, 132, 0, 0, EVENT_FREE, "free", 0x1000)->value2 = 64;
	timeline_put(p, 140, 1, 0, EVENT_SWITCH_OUT, "", 0)->argument =
		intern_add(&p->strings, "lock");
	timeline_put(p, 160, 0, 0, EVENT_WAKEUP, "", 11)->value2 = 10;
	timeline_put(p, 170, 1, 0, EVENT_SWITCH_IN, "", 30)->value2 = 10;
	timeline_put(p, 200, 0, 0, EVENT_CALL, "long", 0);
	timeline_put(p, 300, 0, 7, EVENT_CALL, "co", 0);
	timeline_put(p, 350, 0, 0, EVENT_TRIGGER, "long", 150)->argument =
		intern_add(&p->strings, "long>100ns");
	timeline_put(p, 400, 1, 7, EVENT_RETURN, "co", 100);
	timeline_put(p, 900, 0, 0, EVENT_LOST, "", 3)->value2 = EVENT_LOST_NEWER;
	return p;
}

#endif
