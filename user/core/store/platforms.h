/*
 * platforms: a list of the versions and platforms of a file, without a look at the single runs: for
 * thousands of runs it takes what some take.
 */
#ifndef STORE_PLATFORMS_H
#define STORE_PLATFORMS_H

#include <stddef.h>

#include "base/vec.h"

/* Texts are as in catalog.h. */
struct platform {
	char *version, *platform;
	size_t runs;
	char *timestamp; /* when its first run was made, RFC 3339 */
	char *system, *processor, *cores, *node;
};

/* In the order of version_compare(), then of time, then of the keys' bytes; those of one version
 * together. */
struct platforms {
	VEC(struct platform) all;
};

/* Errors of store_load(), but no run is none. To be released in either case. */
int platforms_load(const char *path, struct platforms *);
void platforms_release(struct platforms *);

#endif
