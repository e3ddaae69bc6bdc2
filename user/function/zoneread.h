/*
 * zoneread: reads one file for zonelist. In a process that may die of it.
 */
#ifndef FUNCTION_ZONEREAD_H
#define FUNCTION_ZONEREAD_H

#include "function/nearest.h"
#include "function/zonelist.h"

/* An image open to be read. */
struct zoneread {
	const struct image *image; /* borrowed */
	int fd, debug_fd;	   /* -1: none */
	bool wanted;		   /* some pattern is for it */
};

/* Fills @out, whose hits are of the size of the patterns. */
void zoneread_run(const struct zoneread *, const struct zonelist_request *, struct zonelist *out);

/* The names nearest to the one that pattern number @pattern is for. */
void zoneread_nearest(const struct zoneread *, const struct zonelist_request *, size_t pattern,
		      struct nearest *out);

#endif
