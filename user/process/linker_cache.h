/*
 * linker_cache: reads /etc/ld.so.cache: which file the dynamic linker loads for the name of a
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
	const char *at;	    /* the header, in file */
	size_t bytes;	    /* from the header on */
	struct map by_name; /* hash of a name → offset of the path */
};

/* Reads the open file @fd; -1: the cache is empty. */
void linker_cache_read(int fd, struct linker_cache *out);
void linker_cache_release(struct linker_cache *);

/* Calls @each with the name and the path of every x86-64 library, until it returns true. */
void linker_cache_each(const struct linker_cache *,
		       bool (*each)(void *context, const char *name, const char *path),
		       void *context);
/* The path for @name; borrowed; NULL: there is none. */
const char *linker_cache_find(const struct linker_cache *, const char *name);

/* A library may exist in several builds; the dynamic linker loads the one for the highest level of
 * x86-64 that the processor has. Levels 2 to 4 have their own folders; level 1 is everything
 * else. */
#define LINKER_LEVEL_FOLDER "glibc-hwcaps/x86-64-v"
int linker_level(void);

#endif
