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

/* Without the parameter list (for C the same as @linkage), and with it, NULL where there is none.
 * The endings of a compiler's copies and parts are kept: "ns::f [clone .part.0]". Both the caller's
 * to free. Parses a stranger's string: for processes that may die of it. */
void zonename_spell(const char *linkage, char **name, char **full);

#endif
