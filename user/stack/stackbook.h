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

struct codes;

#define NO_STACK UINT32_MAX

/* Each distinct place once, with a dense number. Places differ if one is a return address and the
 * other an interrupted one, since their lines differ, and if one was unwound and the other
 * guessed. */
struct placebook {
	VEC(struct place) places;
	VEC(uint8_t) is_return;
	VEC(uint8_t) guessed; /* found by frame pointer */
	struct map by_hash;
};

struct stack {
	uint32_t first, n; /* in stackbook.chain */
	uint32_t cut_at;   /* index at which left-out frames are missing; 0: none are */
	uint8_t end;	   /* enum wire_end */
	bool guessed;	   /* some frames are guesses: WIRE_BY_FRAME_POINTER, unless proved */
	uint64_t check;	   /* the kernel's second hash; 0: walked in user space */
};

/* A zeroed one is empty and valid. */
struct stackbook {
	struct placebook book;
	VEC(uint32_t) chain; /* numbers in book, innermost first, stack after stack */
	VEC(struct stack) stacks;
	/* The kernel's hash → the newest stack with it; NO_STACK: stacks with different second
	 * hashes share it, so it identifies none. */
	struct map by_hash;
	/* Whether a function starts at the place, so that no call can return there. May be NULL. */
	bool (*starts_function)(void *context, struct place);
	void *context;
	struct codes *codes; /* functions of scripts; borrowed; NULL: none */
	uint64_t missing; /* lookups of stacks that never came, or that share a hash; 0 as long as
			     the ring loses nothing */
};

/* The frames of a stack, innermost first, with the marks of wire.h: up to WIRE_USER_FRAMES of a
 * user's, WIRE_KERNEL_FRAMES of the kernel's. Borrowed. */
struct stack_frames {
	const uint64_t *address;
	uint32_t n;
	uint32_t cut_at; /* as in struct stack */
	uint8_t end;	 /* enum wire_end */
	bool kernel;
	bool syscall; /* as in wire_stack */
};
/* Adds a stack; @procs must be as it was at that time. Returns its new number. */
uint32_t stackbook_add_frames(struct stackbook *, const struct stack_frames *, uint32_t pid,
			      struct procs *);

/* The frames of a stack record, in @frames, of which there are WIRE_USER_FRAMES. */
void stackbook_frames(const struct wire_stack *, uint64_t *frames, struct stack_frames *out);

/* Adds a stack record, under the same condition. */
void stackbook_add(struct stackbook *, const struct wire_stack *, struct procs *);
/* The stack with that hash; NO_STACK for 0, and for one that never came or shares its hash, which
 * .missing counts. */
uint32_t stackbook_find(struct stackbook *, uint64_t hash);

/* Forgets the stacks before number @from, except those whose @numbers (one for each stack) is not
 * 0, and the places that only they had. @numbers then holds the new numbers, NO_STACK for forgotten
 * stacks. The kernel must have been told to send stacks again. */
void stackbook_forget(struct stackbook *, uint32_t from, uint32_t *numbers);
void stackbook_release(struct stackbook *);

#endif
