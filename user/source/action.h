/*
 * action: what is done when a probed function is called. The first, zone, counts and times calls
 * and is a part of the probe engine; each of the others is a BPF program at the entry of the
 * functions that its option names, and what is made of what that program found. To add one: a row
 * in bpf/actions.def, which says where its files are.
 */
#ifndef SOURCE_ACTION_H
#define SOURCE_ACTION_H

#include <stddef.h>
#include <stdint.h>

#include "load/session.h"
#include "stack/assembly.h"
#include "wire_zone.h"

struct action {
	const char *name;   /* as in actions.def */
	const char *option; /* that takes the patterns: "probe-NAME" */
	const char *does;   /* for the help: "sample the calls of functions, with their stacks" */
	const char *metric; /* what its samples count: "calls"; NULL: it takes none */
	/* Adds its rows to a profile; NULL: it has none but samples. */
	void (*finish)(struct session *, struct assembly *);
};

/* That of @number, enum wire_action; NULL for zone, and where there is none of that number. */
const struct action *action_of(uint32_t number);
/* The bit of an action in the actions of a pattern and of a function. */
static inline uint32_t action_bit(enum wire_action number)
{
	return 1u << number;
}

/* Adds the rows of all actions among @actions, bits. */
void actions_finish(uint32_t actions, struct session *, struct assembly *);

#endif
