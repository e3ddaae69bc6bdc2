/*
 * linker_cache: what /etc/ld.so.cache says: which file the dynamic linker loads for the name of a
 * library.
 */
#ifndef PROCESS_LINKER_CACHE_H
#define PROCESS_LINKER_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/hash.h"

#define LINKER_CACHE "/etc/ld.so.cache"

/* A zeroed one is empty and valid. */
struct linker_cache {
	char *file;
	const char *at;	    /* the header */
	size_t bytes;	    /* from there */
	struct map by_name; /* hash of a name → offset of the path */
};

/* Of the open file @fd; -1: empty. */
void linker_cache_read(int fd, struct linker_cache *out);
void linker_cache_release(struct linker_cache *);

/* Calls @each, until it returns true, with the name and the path of every library for us. */
void linker_cache_each(const struct linker_cache *,
		       bool (*each)(void *context, const char *name, const char *path),
		       void *context);
/* The path for @name, NULL where there is none; borrowed. */
const char *linker_cache_find(const struct linker_cache *, const char *name);

/* A library may exist in several builds; the dynamic linker loads the one for the highest level of
 * x86-64 that the processor has. Levels 2 to 4 have folders of their own; all else is level 1. */
#define LINKER_LEVEL_FOLDER "glibc-hwcaps/x86-64-v"
int linker_level(void);

#endif
