/*
 * keeper_file: a file that the keeper of probes watches, and what it has seen of it.
 */
#ifndef PROBE_KEEPER_FILE_H
#define PROBE_KEEPER_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/vec.h"

/* A watched file began to be run. */
struct keeper_start {
	uint64_t time_ns; /* CLOCK_MONOTONIC: before it was let go on */
	uint32_t pid;	  /* 0: it is not of our PID namespace */
	uint32_t tag;	  /* of the file, as keeper_watch() was told */
};
typedef VEC(struct keeper_start) keeper_starts;

/* A file with what it holds, which is the same as long as nobody has written to it. */
struct keeper_file {
	dev_t dev;
	ino_t inode;
	off_t size;
	int64_t modified_ns;
};
typedef VEC(struct keeper_file) keeper_files;

/* All 0 where the kernel tells nothing of it. */
struct keeper_file keeper_file_of(int fd);
bool keeper_file_is(const struct keeper_file *, const struct keeper_file *);

#endif
