/*
 * zonelist_run: what zonelist's reading and its checking share. Only for them.
 */
#ifndef SYMBOL_ZONELIST_RUN_H
#define SYMBOL_ZONELIST_RUN_H

#include "symbol/nearest.h"
#include "symbol/zonelist.h"

/* The names in @images that are nearest to the one that pattern number @pattern is for. */
void zonelist_nearest(const struct image *const *images, size_t n, const struct zonelist_request *,
		      size_t pattern, struct nearest *out);

static inline uint64_t zonelist_max(const struct zonelist_request *request)
{
	return request->max ? request->max : ZONELIST_DEFAULT_MAX;
}

#endif
