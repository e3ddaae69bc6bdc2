/*
 * keeper_file: a file that the keeper watches, and what the keeper reports of it.
 */
#ifndef PROBE_KEEPER_FILE_H
#define PROBE_KEEPER_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/vec.h"

/* A watched file started to be executed. */
struct keeper_start {
	uint64_t time_ns; /* CLOCK_MONOTONIC, before the keeper let it continue */
	uint32_t pid;	  /* 0: outside our PID namespace */
	uint32_t tag;	  /* the file's, given to keeper_watch() */
};
typedef VEC(struct keeper_start) keeper_starts;

/* Identifies a file and its contents, which stay the same until it is written to. */
struct keeper_file {
	dev_t dev;
	ino_t inode;
	off_t size;
	int64_t modified_ns;
};
typedef VEC(struct keeper_file) keeper_files;

/* All 0 if the kernel does not tell. */
struct keeper_file keeper_file_of(int fd);
bool keeper_file_is(const struct keeper_file *, const struct keeper_file *);

#endif
