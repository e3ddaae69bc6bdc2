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

struct wait_classes {
	uint8_t *of; /* per sample: enum wait_class */
	/* Per sample: the function in which it waited, above what idle waits have, too: of a server
	 * whose waits all end in its own wait_event() what called that; 0: unknown. */
	uint32_t *site;
};

/* Of all samples, whatever is selected. */
void wait_classes_init(struct wait_classes *, const struct profile *);
void wait_classes_release(struct wait_classes *);

#endif
