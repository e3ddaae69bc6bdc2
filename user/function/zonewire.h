/*
 * zonewire: a zonelist and the nearest names, serialised by the confined worker process that read a
 * file, and parsed by the loader. A hostile file may have taken over the worker: the bytes are
 * checked before use.
 */
#ifndef FUNCTION_ZONEWIRE_H
#define FUNCTION_ZONEWIRE_H

#include "select/nearest.h"
#include "function/zonelist.h"

struct zonewire {
	uint32_t task; /* number of the file in the run */
	struct zonelist list;
	struct nearest nearest;
};
void zonewire_release(struct zonewire *);

/* Appends it to @fd. A negative errno, no text. */
int zonewire_write(struct zonewire *, int fd);

/* Parses the answer at the start of @n bytes. Returns its length, a multiple of 4, or 0 (and *@out
 * is empty) if it is incomplete or malformed. It must have @n_patterns hits. */
size_t zonewire_read(const void *bytes, size_t n, size_t n_patterns, struct zonewire *out);

#endif
