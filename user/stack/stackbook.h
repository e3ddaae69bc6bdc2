/*
 * stackbook: the distinct stacks of a capture, as chains of places; shared by all event sources.
 */
#ifndef STACK_STACKBOOK_H
#define STACK_STACKBOOK_H

#include <stdint.h>

#include "base/hash.h"
#include "base/vec.h"
#include "process/maps.h"
#include "process/procs.h"
#include "wire.h"

#define NO_STACK UINT32_MAX

/* Each distinct place once, known by a dense number. A return address and an interrupted one at the
 * same place differ: their lines do; so do one that a rule led to and one that is a guess. */
struct placebook {
	VEC(struct place) places;
	VEC(uint8_t) is_return;
	VEC(uint8_t) guessed; /* found by frame pointer */
	struct map by_hash;
};

struct stack {
	uint32_t first, n; /* in stackbook.chain */
	uint32_t cut_at;   /* where left_out frames are missing; 0: nowhere */
	uint8_t end;	   /* enum wire_end */
	bool guessed;	   /* frames of it are guesses: WIRE_BY_FRAME_POINTER */
	uint64_t check;	   /* the kernel's other hash; 0: walked here */
};

/* A zeroed one is empty and valid. */
struct stackbook {
	struct placebook book;
	VEC(uint32_t) chain; /* numbers in book, innermost first, stack after stack */
	VEC(struct stack) stacks;
	/* The kernel's hash → the newest stack that has it; NO_STACK: stacks whose other hashes
	 * differ have it, so that it tells nothing. */
	struct map by_hash;
	/* Whether a function starts at that place, so that no call can return there. May be NULL.
	 */
	bool (*starts_function)(void *context, struct place);
	void *context;
	uint64_t missing; /* asked for, never sent or not to be told: none, while the ring is whole
			   */
};

/* The frames of a stack, innermost first, with the marks of wire.h. Borrowed. */
struct stack_frames {
	const uint64_t *address;
	uint32_t n;
	uint32_t cut_at; /* as in struct stack */
	uint8_t end;	 /* enum wire_end */
	bool kernel;
	bool syscall; /* as in wire_stack */
};
/* While @procs is as it was at that time. Its number; every such stack is a new one. */
uint32_t stackbook_add_frames(struct stackbook *, const struct stack_frames *, uint32_t pid,
			      struct procs *);

/* A stack record, under the same terms. */
void stackbook_add(struct stackbook *, const struct wire_stack *, struct procs *);
/* The stack of that hash; NO_STACK for 0, and for one that never came or is not to be told from
 * another, which is counted. */
uint32_t stackbook_find(struct stackbook *, uint64_t hash);

/* Forgets the stacks before number @from but for those whose @numbers is not 0 (one for each stack
 * that there is), and the places that only they had. Their new numbers stand there afterwards,
 * NO_STACK for those that are gone. The kernel must have been told to send them anew. */
void stackbook_forget(struct stackbook *, uint32_t from, uint32_t *numbers);
void stackbook_release(struct stackbook *);

#endif
