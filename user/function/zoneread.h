/*
 * zoneread: reads one file for zonelist. A hostile file may crash it: call it only in a confined
 * process.
 */
#ifndef FUNCTION_ZONEREAD_H
#define FUNCTION_ZONEREAD_H

#include "select/nearest.h"
#include "function/zonelist.h"

/* An image to read. */
struct zoneread {
	const struct image *image; /* borrowed */
	int fd, debug_fd;	   /* -1: none */
	int alt_fd;		   /* what the debug information shares with others; -1: none */
	const int *split; /* .dwo files that may be the file's, and packages of them; borrowed */
	size_t n_split;
	bool wanted; /* a pattern concerns it */
};

/* Fills @out, whose hits the caller has allocated, one for each pattern. */
void zoneread_run(const struct zoneread *, const struct zonelist_request *, struct zonelist *out);

/* Finds the names nearest to the one that pattern number @pattern gives. */
void zoneread_nearest(const struct zoneread *, const struct zonelist_request *, size_t pattern,
		      struct nearest *out);

/* Demangles @linkage without the parameter list (for C: @linkage itself), and with it (NULL: none).
 * Suffixes of a compiler's copies and parts are kept: "ns::f [clone .part.0]". The caller frees
 * both. Parses an untrusted string: call it only where a crash is harmless. */
void zonename_spell(const char *linkage, char **name, char **full);

#endif
