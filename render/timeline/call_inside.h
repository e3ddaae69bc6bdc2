/*
 * call_inside: what happened inside of some calls of a timeline: the calls within, waits and
 * samples of their thread meanwhile. For views.
 */
#ifndef TIMELINE_CALL_INSIDE_H
#define TIMELINE_CALL_INSIDE_H

#include "timeline/call_walk.h"

/* Time of one kind: of the direct calls of a function, of waits for a reason, of samples whose
 * innermost frame is a function. */
struct inside_part {
	uint32_t what; /* a function; of waits a text, or less than UINT32_MAX by the reason's kind
			*/
	uint32_t n;
	uint64_t ns; /* of samples: 0 */
};

typedef VEC(struct inside_part) inside_parts;

struct inside {
	const struct walked_call *call;	    /* borrowed */
	inside_parts calls, waits, samples; /* most first */
	uint64_t calls_ns, waits_ns;
	uint32_t samples_n;
	/* The waits are those that were sampled: there may have been others. */
	bool sampled_waits;
};

/* Of @n calls that a walk of the choice has told; @out has room for as many. By one walk more,
 * whose errors it returns. */
int call_inside_find(struct call_choice *, const struct walked_call *const *calls, size_t n,
		     struct inside *out);
void call_inside_release(struct inside *, size_t n);
/* "parse 61.0 %, read 20.1 %; waited 3.10 ms: futex; 23 samples: memcpy 40.0 %"; "" where
 * nothing is known. Freed by the caller. */
char *call_inside_text(const struct profile *, const struct inside *);

#endif
