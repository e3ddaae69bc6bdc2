/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wire_call: the part of the contract (wire.h) for the action stack: sampled calls, with what they
 * were given where the user asks for that. Values cross the ring once, and after that their hash
 * stands for them, as for stacks.
 */
#ifndef WIRE_CALL_H
#define WIRE_CALL_H

#include "wire.h"

/* A record of kind WIRE_PROBE_stack. */
struct wire_call {
	struct wire_sample sample;
	wire_u64
		values; /* hash of a struct wire_call_values; 0: none are read; or WIRE_CALL_LOST */
	wire_u32 function;
	wire_u32 pad;
};
_Static_assert(sizeof(struct wire_call) == WIRE_PROBE_BYTES_stack,
	       "wire_call is part of the contract");
/* They were read, but other values have the same hash. */
#define WIRE_CALL_LOST (~(wire_u64)0)

/* Another record of that kind, sent before the first sample that names it: a struct wire_stack
 * whose words are the parts of a call's arguments (struct wire_call_part), the entry last. It
 * differs from a sample in the second word: wire_call_values_of(). */
#define WIRE_CALL_VALUES 2 /* what its member kernel is */
static inline __attribute__((always_inline, unused)) wire_u32 wire_call_values_of(wire_u32 function)
{
	return function << WIRE_ZONE_SHIFT | WIRE_STREAM_MASK;
}
static inline __attribute__((always_inline, unused)) int wire_call_is_values(const void *record)
{
	const struct wire_head *head = (const struct wire_head *)record;

	return (head->event_or_pid & WIRE_STREAM_MASK) == WIRE_STREAM_MASK;
}
_Static_assert(WIRE_STREAMS < WIRE_STREAM_MASK, "no stream has the number of values");

/* As in the slots of the timeline (wire_event.h), of the same kinds. A pointer to what could be
 * read is 1, so that calls with the same texts are the same. */
struct wire_call_part {
	wire_u16 kind, flags;
	wire_u32 function;
	wire_u64 value1, value2, more;
};
#define WIRE_CALL_PART_WORDS 4
_Static_assert(sizeof(struct wire_call_part) == 8 * WIRE_CALL_PART_WORDS,
	       "wire_call_part is part of the contract");

#endif
