/*
 * reasonbook: why threads were off the CPU: each distinct reason once, with a dense number, until
 * its window is written. The object of a wait is looked up when its record comes, since the process
 * may soon be gone.
 */
#ifndef WAITS_REASONBOOK_H
#define WAITS_REASONBOOK_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/intern.h"
#include "base/vec.h"
#include "model/profile.h"
#include "process/images.h"
#include "process/procs.h"
#include "waits/callrule.h"
#include "waits/memory.h"
#include "wire_offcpu.h"

/* A variable of a module, to be named later. */
struct variable {
	uint32_t image;	   /* 0: none */
	uint32_t serial;   /* of the image, whose number may be reused */
	uint64_t distance; /* from where the module is mapped */
};

struct reasonbook_row {
	uint8_t kind;	       /* enum reason_kind */
	uint8_t state;	       /* as in struct reason */
	bool io;	       /* it waited for a disk */
	bool is_kernel;	       /* a thread of the kernel */
	bool restarted;	       /* the kernel had restarted the call, whose own number is unknown */
	uint32_t call, object; /* strings of the book */
	struct variable variable; /* the object, if it is a variable */
};

struct reasonbook {
	struct images *images; /* borrowed; NULL: variables get no names */
	struct intern texts;
	VEC(struct reasonbook_row) rows; /* row 0: none */
	struct map by_hash;
	struct map descriptors; /* process, descriptor, inode and name → text */
	struct memory memory;
	uint64_t without_object; /* samples whose object was dropped because of the limits */
	uint64_t refused;	 /* in earlier windows: see reasonbook_refused() */
};

void reasonbook_init(struct reasonbook *, struct images *);
void reasonbook_release(struct reasonbook *);

/* The number of the reason of @w, a sample of a wait; 0: unknown. */
uint32_t reasonbook_take(struct reasonbook *, const struct wire_offcpu *w, struct procs *);
/* Samples for which there was no time to find where a lock lies. */
uint64_t reasonbook_refused(const struct reasonbook *);
/* Call when the mappings of @pid have changed. */
void reasonbook_code_changed(struct reasonbook *, uint32_t pid);
/* Forgets the reasons whose @numbers (one for each) are 0. @numbers then holds the others' new
 * numbers. */
void reasonbook_keep(struct reasonbook *, uint32_t *numbers);

/* Adds reasons to a profile. */
struct reason_rows {
	const struct reasonbook *book;
	struct profile *p;
	uint32_t *objects;  /* by row of the book: its object, a string of the profile */
	struct map by_kind; /* row of the book and kind by stack → reason of the profile */
	struct waitstack stack;
};

void reason_rows_init(struct reason_rows *, const struct reasonbook *, struct profile *);
void reason_rows_release(struct reason_rows *);
/* The profile's reason for reason @number, of a wait whose stack ends at @node. */
uint32_t reason_rows_put(struct reason_rows *, uint32_t number, uint32_t node);

#endif
