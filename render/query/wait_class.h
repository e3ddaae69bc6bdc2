/*
 * wait_class: whether a thread that was off the CPU had nothing to do, or was held up in its work,
 * by that thread's own stacks in the whole capture. A wait is idle where it branches off in the
 * frame that the thread's waits and its work have in common, and held up below that. A thread that
 * has only one stack, or never ran, is undecided.
 */
#ifndef QUERY_WAIT_CLASS_H
#define QUERY_WAIT_CLASS_H

#include "model/profile.h"

enum wait_class {
	WAIT_NONE, /* no wait */
	WAIT_HELD_UP,
	WAIT_IDLE,
	WAIT_UNDECIDED,
	WAIT_CLASSES
};

/* "held up", "idle", "undecided"; "" of none. */
const char *wait_class_name(enum wait_class);

/* A thread that is in no wait, or in one that keeps it from its work. */
static inline bool wait_class_is_active(uint8_t class)
{
	return class == WAIT_NONE || class == WAIT_HELD_UP;
}

struct wait_classes {
	const struct profile *profile; /* borrowed; NULL: not found yet */
	uint8_t *of;		       /* per sample: enum wait_class */
	/* Per sample: the function in which it waited, above what idle waits have, too: of a server
	 * whose waits all end in its own wait_event() what called that; 0: unknown. */
	uint32_t *site;
};

/* Of all samples, whatever is selected. */
void wait_classes_init(struct wait_classes *, const struct profile *);
/* Those of @kept, which is filled if it is empty; if it is NULL or another profile's, those of
 * @own, which the caller releases in any case. */
const struct wait_classes *wait_classes_of(const struct profile *, struct wait_classes *kept,
					   struct wait_classes *own);
void wait_classes_release(struct wait_classes *);

#endif
