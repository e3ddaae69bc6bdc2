/*
 * births: since when threads or processes have had an attribute that their later children inherit.
 * Used by hooks and session while a capture begins.
 */
#ifndef LOAD_BIRTHS_H
#define LOAD_BIRTHS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/vec.h"

#define BIRTHS_NEVER UINT64_MAX

/* A zeroed struct is valid and empty. */
struct births {
	struct map at; /* id → index in since_ns */
	VEC(uint64_t) since_ns;
};

/* Whether @id is known. */
bool births_know(const struct births *, uint32_t id);
/* Notes that @id has had the attribute since @since_ns, CLOCK_MONOTONIC, or BIRTHS_NEVER. */
void births_note(struct births *, uint32_t id, uint64_t since_ns);
/* Whether @child, born to @parent at @born_ns, inherited the attribute; if so, notes it. */
bool births_inherit(struct births *, uint32_t parent, uint32_t child, uint64_t born_ns);
void births_release(struct births *);

#endif
