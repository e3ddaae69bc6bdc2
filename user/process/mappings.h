/*
 * mappings: what a process has mapped, read by the opener: the kernel waits for a lock that the
 * process may hold for ever.
 */
#ifndef PROCESS_MAPPINGS_H
#define PROCESS_MAPPINGS_H

#include <stdint.h>

#include "process/procfs.h"

struct opener;

/* Calls @each with every mapping of @pid; strings are valid for the call. -ESRCH: there is no such
 * process, or it has no memory; another negative errno: it cannot be told. No text. */
int mappings_read(struct opener *, uint32_t pid,
		  void (*each)(void *context, const struct procfs_mapping *), void *context);

#endif
