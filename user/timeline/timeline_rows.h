/*
 * timeline_rows: recorded events → rows of the profile's events: which call of which stack each one
 * begins or ends, and what an exception passed through.
 */
#ifndef TIMELINE_TIMELINE_ROWS_H
#define TIMELINE_TIMELINE_ROWS_H

#include <stdint.h>

#include "model/timed_event.h"
#include "model/profile.h"
#include "timeline/recording.h"

/* What the events of a function tell. */
enum timeline_role {
	TIMELINE_CALLS,	  /* calls of it */
	TIMELINE_THROWS,  /* it throws its first argument */
	TIMELINE_RAISES,  /* the same of a script: a type in its second, whose name comes before */
	TIMELINE_CATCHES, /* called where an exception is caught */
	TIMELINE_ALLOCATES,
	TIMELINE_FREES, /* the block at its first argument */
};

/* Which arguments of an allocator are the size. */
enum timeline_size {
	TIMELINE_SIZE_FIRST,
	TIMELINE_SIZE_SECOND,
	TIMELINE_SIZE_THIRD,
	TIMELINE_SIZE_PRODUCT /* first times second */
};

/* A function by the engine's number. */
struct timeline_function {
	uint32_t frame, module; /* rows of the profile */
	uint8_t role;		/* enum timeline_role */
	/* Of an allocator: enum timeline_size; enum event_kind of what it does; and whether it
	 * returns something other than the block. */
	uint8_t size;
	uint32_t allocates;
	bool returns_status;
	/* What arguments its entries come with, and what it returns; NULL: none, and unknown. */
	const struct signature *args, *types;
};

struct timeline_input {
	const struct timeline_function *functions;
	uint32_t n_functions;
	/* The profile's thread. */
	uint32_t (*thread)(void *context, uint32_t pid, uint32_t tid);
	void *context;
	const char *(*call_name)(uint32_t number); /* of a system call: "futex" */
	const struct timeline_options *o;
	uint64_t older;	   /* events before the first that are not there */
	uint64_t start_ns; /* of the capture, CLOCK_MONOTONIC */
};

/* Whether the event is of a function, and has no row if that is unknown. */
bool timeline_rows_need_name(const struct wire_event *);

/* Adds rows for events in order of time. Returns how many events are of functions that are unknown,
 * and have no row. */
uint64_t timeline_rows(const struct timeline_input *, const recorded_events *, struct profile *);

#endif
