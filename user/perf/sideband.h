/*
 * sideband: the kernel's records of what processes map, are called, fork and exit, from all
 * CPUs, which feed procs. Wakes the loader only when a buffer is half full.
 */
#ifndef PERF_SIDEBAND_H
#define PERF_SIDEBAND_H

#include <stdbool.h>
#include <stdint.h>

#include "perf/side_record.h"

struct sideband;
/* On all CPUs that are online; already running when it returns. @by_inode: mappings tell their
 * file's device and inode, else its build-id where the kernel can. Errors with a text. */
int sideband_open(bool by_inode, struct sideband **);
/* Without buffers of its own: it holds what it is fed. */
struct sideband *sideband_new(void);
void sideband_close(struct sideband *);

/* Takes a record over, with its text; and that so many are lost. */
void sideband_feed(struct sideband *, const struct side_record *);
void sideband_lose(struct sideband *, uint64_t n);

/* Appends what has come since, in order of each CPU. Returns how many records the kernel says it
 * lost (0 in the good case): processes must be read from /proc again then. */
uint64_t sideband_drain(struct sideband *, side_records *);
/* Adds the buffers to an epoll set, so that a half-full one wakes it. */
int sideband_watch(struct sideband *, int epoll_fd);

#endif
