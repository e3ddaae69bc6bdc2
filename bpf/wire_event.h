/* SPDX-License-Identifier: GPL-2.0 */
/*
 * wire_event: the part of the contract (wire.h) for the timeline. The programs write what happens
 * into the slots of one array, over and over; the loader reads it there.
 */
#ifndef WIRE_EVENT_H
#define WIRE_EVENT_H

#include "wire.h"

/* What a slot tells. function: number of the engine's (wire_probe.h). */
enum wire_event_kind {
	WIRE_EVENT_ENTRY = 1,	/* values: the first two arguments, if the function has shape */
	WIRE_EVENT_EXIT = 2,	/* value1: how long it took, in the strand's time; value2: rax */
	WIRE_EVENT_UNSEEN = 3,	/* a call whose end will not be seen */
	WIRE_EVENT_BEFORE = 4,	/* the end of a call that began before the capture; value2: rax */
	WIRE_EVENT_DROPPED = 5, /* a call has ended unseen: an exception or longjmp left it */
	WIRE_EVENT_HIT = 6,	/* of the action moment; values: the first two arguments */
	/* Of no function. value1: state, 0: ready to run; value2: system call, or -1. */
	WIRE_EVENT_OUT = 7,
	WIRE_EVENT_IN = 8,
	WIRE_EVENT_WAKEUP = 9, /* value1, value2: tid and pid of the thread woken */
	/* Of the entry that follows in that thread: a piece of a text, from value1 on; flags: which
	 * argument. And its arguments from the fourth on. */
	WIRE_EVENT_TEXT = 10,
	WIRE_EVENT_MORE = 11,
	/* Of the same entry: value1 is a member of what an argument points to; flags: which, by its
	 * place in struct wire_event_shape. Of one that is a text there are pieces instead, whose
	 * number is WIRE_EVENT_ARGUMENTS and up, unless it is a pointer that is NULL or that could
	 * not be read. There are none behind an argument that is NULL. */
	WIRE_EVENT_MEMBER = 12,
};

/* Bytes of an argument's text that a slot holds, and that are read of it, the zero at its end
 * included. */
#define WIRE_EVENT_PIECE  24
#define WIRE_EVENT_PIECES 3
/* Arguments in registers. */
#define WIRE_EVENT_ARGUMENTS 6
/* Members of what arguments point to that are read, at most. */
#define WIRE_EVENT_MEMBERS 8
/* Flag of a piece or a member: it could not be read. */
#define WIRE_EVENT_UNREADABLE 0x100

/* Off the thread's own stack, though that strand is not known; of a wakeup: not by a thread of the
 * target. */
#define WIRE_EVENT_FOREIGN 1

struct wire_event {
	wire_u64 serial; /* its place in the order of all, from 1; written last. 0: being written */
	wire_u64 time_ns; /* CLOCK_MONOTONIC */
	wire_u32 pid, tid;
	wire_u64 strand; /* 0: the thread's own stack; else names a coroutine of its process */
	wire_u32 function;
	wire_u16 kind;	/* enum wire_event_kind */
	wire_u16 flags; /* WIRE_EVENT_… */
	wire_u64 value1, value2, more;
};
_Static_assert(sizeof(struct wire_event) == 64, "a slot is a cache line");

/* Slots, at most: 4 GiB of memory. */
#define WIRE_EVENTS_MOST (1u << 26)

#define WIRE_EVENT_TIMED 32
#define WIRE_EVENT_KINDS 16

/* The one value of probe_event_state. */
struct wire_event_state {
	wire_u64 next; /* events so far: the place of the next one, from 0 */
	/* The loader sets these: the number of slots, a power of two, less 1; and the place from
	 * which on no event is kept, 0: the oldest ones are overwritten. */
	wire_u64 mask, stop;
	/* What it takes to record events: of one in WIRE_EVENT_TIMED, if nothing interrupted it,
	 * by its kind, the sum and the number. */
	wire_u64 timed_ns[WIRE_EVENT_KINDS], timed[WIRE_EVENT_KINDS];
};

/* A member of what an argument points to. */
enum wire_event_member_text { WIRE_MEMBER_VALUE, WIRE_MEMBER_POINTER, WIRE_MEMBER_ARRAY };
struct wire_event_member {
	wire_u32 offset;
	wire_u8 argument; /* register, from 0 */
	wire_u8 bytes;	  /* of the value or the pointer, 1 to 8; of the array, those read of it */
	wire_u8 text;	  /* enum wire_event_member_text: a pointer to a text, or the text itself */
	wire_u8 unused;
};

/* What the loader says of a function: the value of probe_argument_shapes, by its number. */
struct wire_event_shape {
	wire_u32 arguments; /* bit 0, 1 …: that argument register is a value of its entry */
	wire_u32 texts;	    /* the same: it points to a text */
	wire_u64 n_members; /* if arguments has WIRE_EVENT_BY_MEMBERS */
	struct wire_event_member members[WIRE_EVENT_MEMBERS];
};
_Static_assert(sizeof(struct wire_event_shape) == 80, "programs and loader agree");
/* Among its bits: `more` of its exit is the block that the action alloc saw handed out. */
#define WIRE_EVENT_BY_ALLOC (1u << 31)
/* Among them, too: it has members. */
#define WIRE_EVENT_BY_MEMBERS (1u << 30)

#endif
