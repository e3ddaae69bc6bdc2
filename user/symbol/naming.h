/*
 * naming: one image open to be named. Opening needs the rights to open other people's files and
 * does so by elffile alone; what comes after needs none and may die of a hostile file: it belongs
 * in a confined process.
 */
#ifndef SYMBOL_NAMING_H
#define SYMBOL_NAMING_H

#include <stddef.h>

#include "process/images.h"
#include "symbol/answer.h"

struct naming {
	const struct image *image; /* borrowed */
	int fd;			   /* the image's own, or opened again; -1: none */
	int extra_fd; /* its separate debug file; of JIT code the perf map as it is now; or -1 */
};

/* Opens what there is to read besides image->fd. Nothing is closed: the process ends. */
void naming_open(struct naming *, const struct image *);

/* Answers @queries, which ascend by query_lookup(). Every query gets at least one frame. */
void naming_run(const struct naming *, const struct query *queries, uint32_t n, struct answer *);

/* For what has no name; the caller's to free: "libfoo.so.1+0x1f30", and "[JIT code]" for all of a
 * process's JIT code, whose addresses say nothing to anybody. */
char *naming_nameless(const struct image *, uint64_t offset);

#endif
