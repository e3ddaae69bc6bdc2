/*
 * tracepoints: what the kernel's tracefs lists of them.
 */
#ifndef PERF_TRACEPOINTS_H
#define PERF_TRACEPOINTS_H

#include <stdbool.h>

#include "base/vec.h"

/* A tracefs mount of our own, so that none need be mounted; else the one that there is. -1: none.
 */
int tracefs_open(void);

typedef VEC(char *) tracepoint_names;

/* Whether an event's name is a glob of tracepoints: "sched:sched_*". */
bool tracepoints_is_glob(const char *name);
/* The tracepoints that match, in alphabetical order, owned by the caller, who releases them in any
 * case: -ENOENT or -EACCES with a text. */
int tracepoints_find(const char *glob, tracepoint_names *out);
void tracepoints_release(tracepoint_names *);

#endif
