/*
 * action: what is done when a probed function is called, as record's options ask for it. The BPF
 * half is described in bpf/probe/actions.h. To add one: a row in bpf/actions.def, which says where
 * its files are.
 */
#ifndef SOURCE_ACTION_H
#define SOURCE_ACTION_H

#include <stddef.h>
#include <stdint.h>

#include "source/source.h"
#include "wire_probe.h"

struct action {
	const char *name;   /* as in actions.def */
	const char *option; /* that takes patterns: "probe-NAME"; NULL: none does */
	/* Patterns, ended by NULL, that the options of its source ask for besides: functions that
	 * it is always about. None of them must be there. What parse() made of these options is in
	 * engine_options.own. */
	const char *const *implies;
	/* The action that these options ask for, too, with what it implies; 0: none. */
	enum wire_action with;
	/* The patterns of zones that its options name besides: the @i-th, and the arguments that it
	 * reads of them; NULL: there are no more. */
	const char *(*zones)(const void *own, size_t i, uint32_t *arguments);
	/* The functions of these actions get it, too, once one of its options is given; bits. */
	uint32_t joins;
	bool numbered; /* "#N" behind a pattern is the argument that it is about */
	/* One of these must be asked for, too; 0: none. */
	uint32_t needs;
	const char *does;   /* for the help: "sample the calls of functions, with their stacks" */
	const char *metric; /* what its samples count: "calls"; NULL: it takes none */
	uint32_t stream;    /* of these samples */
	/* The arguments that it reads at an entry: bit 0 is the first. The site is then the
	 * cheapest before one of their registers is written. */
	uint32_t arguments;
	/* It must see the end of each call, however deep they nest and whatever that costs: at the
	 * returns of functions, where nothing else is asked for. Else the cheapest way is taken. */
	bool every_end;
	/* It keeps to --max-slowdown by itself: none of its functions may lose its probes alone. */
	bool keeps_limit;
	/* The functions that it implies call nothing that looks at, or leaves, the stack. */
	bool leaves;
	/* Its records (kind WIRE_PROBE_<name>), rows and windows, as those of a source. new() gets
	 * the engine (struct engine *), which is its state where it has no new(). */
	struct source source;
};

/* That of @number, enum wire_action. */
const struct action *action_of(uint32_t number);
/* The bit of an action in the actions of a pattern and of a function. */
static inline uint32_t action_bit(enum wire_action number)
{
	return 1u << number;
}

#endif
