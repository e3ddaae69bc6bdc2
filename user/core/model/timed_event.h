/*
 * timed_event: what happened in a thread at a time: the timeline of a capture (PART_EVENTS). The
 * numbers of events are stored; those below 200 and from 1000 on are an older event profiler's.
 */
#ifndef MODEL_TIMED_EVENT_H
#define MODEL_TIMED_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile;

/*
 * What the columns of an event hold besides time, thread and coroutine; those that are not named
 * hold nothing:
 *
 * - call, c_call: frame is the function called; value1 and value2 are its first two arguments, if
 *   their registers were read.
 * - return, c_return: frame is the function left; value1 is how long it took, in ns; value2 what it
 *   returned.
 * - exception, c_exception: value1 is an enum event_exception, which tells what frame is; value2 is
 *   the exception's address.
 * - malloc, calloc, realloc: frame is the allocator; value1 is the address, value2 the bytes.
 * - free, realloc_free: the same; of a block of unknown size value2 is 0.
 * - switch_out: value1 is the state (struct reason).
 * - switch_in: value1 is how long it was off the CPU, in ns; value2 how much of that it was ready
 *   to run.
 * - wakeup: value1 is the tid of the thread woken, value2 its pid.
 * - trigger: frame is the function, if any; value1 is the time that it took, in ns; value2 the
 *   trigger's number, from 1.
 * - lost: value1 is how many events, value2 an enum event_loss.
 * - profiler_call, profiler_return …: value1 is how many events were saved.
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
/* Whether @n events, which are rows from number @first on, are in order of time, the first not
 * before @before_ns: 0, or -EINVAL with a text. */
int timed_events_check(const struct timed_event *, size_t n, size_t first, uint64_t before_ns);

#endif
