/*
 * sideband: collects the kernel's records of mappings, names, forks and exits from all CPUs, which
 * update procs. Wakes the loader only when a buffer is half full.
 */
#ifndef PERF_SIDEBAND_H
#define PERF_SIDEBAND_H

#include <stdbool.h>
#include <stdint.h>

#include "perf/side_record.h"

struct sideband;
/* Opens and enables it on all online CPUs. @by_inode: mappings carry their file's device and inode,
 * else its build-id if the kernel can. Errors with a text. */
int sideband_open(bool by_inode, struct sideband **);
/* Makes one without kernel buffers: it holds what it is fed. */
struct sideband *sideband_new(void);
void sideband_close(struct sideband *);

/* Adds a record, whose text it then owns; or a number of lost records. */
void sideband_feed(struct sideband *, const struct side_record *);
void sideband_lose(struct sideband *, uint64_t n);

/* Appends all new records, in order per CPU. Returns how many the kernel lost; if not 0, processes
 * must be read from /proc again. */
uint64_t sideband_drain(struct sideband *, side_records *);
/* Opens it again on CPUs that came online: see struct cpu_watch. What happened there before is
 * lost, which counts as one record a CPU. */
void sideband_renew(struct sideband *, const int *cpus, int n);
/* Adds the buffers to an epoll set, which a half-full one wakes. It must outlive the sideband. */
int sideband_watch(struct sideband *, int epoll_fd);

#endif
