/*
 * source: the user half of an event source: takes its records, and adds its rows to a profile.
 * To add one: a row in bpf/sources.def, which says where the two halves live.
 */
#ifndef SOURCE_SOURCE_H
#define SOURCE_SOURCE_H

#include <stddef.h>

#include "source/assembly.h"
#include "source/stacks.h"
#include "symbol/procs.h"

struct source {
	const char *name;
	/* What it keeps during a capture. */
	void *(*new)(void);
	void (*free)(void *);
	/* A record of its kind, in order of time, whole; @procs is as it was at that time. */
	void (*take)(void *, const void *record, struct stacks *, struct procs *);
	/* The same for a sample whose user stack had to be walked here: NULL where the source has
	 * no such. */
	void (*take_slice)(void *, const struct wire_slice *, uint32_t stack, struct stacks *,
			   struct procs *);
	/* How many it has taken. */
	size_t (*taken)(const void *);
	/* Adds its rows; the profile's metrics are those of the capture's events. May be called
	 * once a profile, any number of times. */
	void (*finish)(const void *, struct assembly *);
};

#define SOURCE(name, KIND, number) extern const struct source name##_source;
#include "sources.def"
#undef SOURCE

#endif
