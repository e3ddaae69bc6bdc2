/*
 * timed_event: what happened in a thread at a time: the timeline of a capture (PART_EVENTS). The
 * numbers of events are stored; those below 200 and from 1000 on are an older event profiler's.
 */
#ifndef MODEL_TIMED_EVENT_H
#define MODEL_TIMED_EVENT_H

#include <stdbool.h>
#include <stdint.h>

struct profile;

/*
 * What the columns of an event hold besides time, thread and coroutine:
 *
 *	event		frame			value1			value2
 *	call, c_call	the function called	first argument, if its	second argument, likewise
 *						registers were read
 *	return, …	the function left	how long it took, ns	what it returned
 *	exception, …	see enum event_exception: which function	the exception's address
 *	malloc …	the allocator		address			bytes
 *	free …		the allocator		address			bytes of the block; 0:
 *unknown switch_out	–			state (struct reason)	– switch_in	–
 *ns off the CPU		ns of these ready to run wakeup		–
 *tid of the thread woken	its pid trigger		the function, if any	ns that it took
 *the trigger's number, from 1 lost		–			how many		enum
 *event_loss profiler_…	–			events saved		–
 *
 * `argument` is a text: the arguments of a call that the user asked for ("n=3, path=\"/etc\""), the
 * reason of a switch, the condition of a trigger.
 */
enum event_kind {
	EVENT_CALL = 1,
	EVENT_RETURN = 2,
	/* The same where the innermost open call of that stack is of another module. */
	EVENT_C_CALL = 3,
	EVENT_C_RETURN = 4,
	EVENT_EXCEPTION = 5,
	EVENT_C_EXCEPTION = 6, /* of a call that began with EVENT_C_CALL */
	EVENT_PROFILER_CALL = 10,
	EVENT_PROFILER_RETURN = 11,
	EVENT_PROFILER_START = 100,
	EVENT_PROFILER_SORT = 101,
	EVENT_SWITCH_OUT = 200,
	EVENT_SWITCH_IN = 201,
	EVENT_WAKEUP = 202,
	EVENT_TRIGGER = 300,
	EVENT_LOST = 301,
	EVENT_MALLOC = 1000,
	EVENT_CALLOC = 1001,
	EVENT_REALLOC = 1002,
	EVENT_FREE = 1003,
	EVENT_REALLOC_FREE = 1004,
};

/* value1 of EVENT_EXCEPTION and EVENT_C_EXCEPTION. */
enum event_exception {
	EVENT_THROWN = 0, /* frame: the unwinder's function that was called */
	EVENT_PASSED = 1, /* ends the call of frame, which did not catch it */
	EVENT_CAUGHT = 2, /* frame: the runtime's function that was called */
	EVENT_JUMPED = 3, /* ends the call of frame, which longjmp left */
	EVENT_UNSEEN = 4, /* of a call whose end nobody sees: at the time of its beginning */
};

/* value2 of EVENT_LOST, whose time is that of the first event after the gap. */
enum event_loss {
	EVENT_LOST_OLDER, /* dropped, as the bound was reached, before all events of the profile */
	EVENT_LOST_BETWEEN, /* events around triggers alone are kept */
	EVENT_LOST_NEWER,   /* not recorded, as the bound was reached */
};

/* One event; rows are in order of time, those of equal times in the order in which they happened.
 */
struct timed_event {
	uint64_t time_ns;
	uint32_t thread;
	uint32_t coroutine; /* of its process, from 1; 0: on the thread's own stack */
	uint32_t frame;
	uint32_t argument;
	uint32_t event; /* enum event_kind */
	int64_t value1, value2;
};

/* "call", "c_return"; "event" if the number is unknown. */
const char *timed_event_name(uint32_t kind);
/* Whether it begins, or ends, a call of its frame. */
bool timed_event_begins(const struct timed_event *);
bool timed_event_ends(const struct timed_event *);

#endif
