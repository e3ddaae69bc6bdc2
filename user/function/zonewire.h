/*
 * zonewire: a zonelist and the nearest names, serialised by the confined worker process that read a
 * file and parsed by the loader. The bytes come from a process that a hostile file may have taken
 * over: they are checked before use.
 */
#ifndef FUNCTION_ZONEWIRE_H
#define FUNCTION_ZONEWIRE_H

#include "function/nearest.h"
#include "function/zonelist.h"

struct zonewire {
	uint32_t task; /* number of the file among those that are read */
	struct zonelist list;
	struct nearest nearest;
};
void zonewire_release(struct zonewire *);

/* Appends it to @fd. A negative errno, no text. */
int zonewire_write(struct zonewire *, int fd);

/* Reads what stands at the head of @n bytes. The bytes that it took, a multiple of 4, or 0 (and
 * nothing in @out) where there is none that is whole and makes sense. @n_patterns: as many hits it
 * must have. */
size_t zonewire_read(const void *bytes, size_t n, size_t n_patterns, struct zonewire *out);

#endif
