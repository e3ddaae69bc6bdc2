/*
 * pprof_file: the message of a pprof file, out of its gzip, in memory that is bounded whatever the
 * file claims. For import/pprof.c.
 */
#ifndef IMPORT_PPROF_FILE_H
#define IMPORT_PPROF_FILE_H

#include <stdbool.h>

#include "base/input.h"
#include "pprof.pb-c.h"

/* The bytes of a message may be so many, and what it becomes in memory. */
#define PPROF_BYTES_MAX	 ((size_t)512 << 20)
#define PPROF_MEMORY_MAX ((size_t)3 << 30)

struct pprof_file {
	Pprof__Profile *message;
	size_t bytes; /* that it was made of */
	ProtobufCAllocator allocator;
	size_t left; /* that the allocator may still give */
};

/* Whether the bytes, the first of a file, begin such a message, in a gzip or out of it. */
bool pprof_file_is(struct span head);

/* -EINVAL with a text: no gzip, cut off, no such message. -EFBIG: larger than the bounds. The file
 * does not move before the release, which is due in either case. */
int pprof_file_read(struct pprof_file *, struct input *);
void pprof_file_release(struct pprof_file *);

#endif
