/*
 * sideband: the kernel's records of what processes map, are called, fork and exit, from all
 * CPUs. What procs is fed with. Never wakes the loader unless a buffer is half full.
 */
#ifndef LOAD_SIDEBAND_H
#define LOAD_SIDEBAND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

enum side_kind { SIDE_MMAP, SIDE_COMM, SIDE_FORK, SIDE_EXIT };

struct side_record {
	enum side_kind kind;
	uint64_t time_ns; /* CLOCK_MONOTONIC */
	uint32_t pid, tid;
	uint32_t parent_pid, parent_tid;  /* FORK; PROCFS_OUTSIDE: not in our PID namespace */
	bool exec;			  /* COMM */
	char *text;			  /* COMM: name; MMAP: path. Owned by the record */
	uint64_t start, end, file_offset; /* MMAP */
	uint8_t build_id[20], build_id_bytes;
	uint32_t dev_major, dev_minor;
	uint64_t inode;
};

typedef VEC(struct side_record) side_records;
void side_records_clear(side_records *);

struct sideband;
/* On all CPUs that are online; already running when it returns. @by_inode: mappings tell their
 * file's device and inode, else its build-id where the kernel can. Errors with a text. */
int sideband_open(bool by_inode, struct sideband **);
void sideband_close(struct sideband *);

/* Appends what has come since, in order of each CPU. Returns how many records the kernel says it
 * lost (0 in the good case): processes must be read from /proc again then. */
uint64_t sideband_drain(struct sideband *, side_records *);
/* Adds the buffers to an epoll set, so that a half-full one wakes it. */
int sideband_watch(struct sideband *, int epoll_fd);

#endif
