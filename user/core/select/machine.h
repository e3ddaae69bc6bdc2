/*
 * machine: what a profile says of where it was made: the meta attributes.
 */
#ifndef SELECT_MACHINE_H
#define SELECT_MACHINE_H

#include "model/profile.h"

/* Adds the meta attributes of this machine (model/meta.h) and the time @unix_ns. @version is
 * that of what was profiled, NULL where it is not known: then the build-id of @p's first module
 * with one, else "unversioned". */
void machine_describe(struct profile *, const char *version, int64_t unix_ns);

/* The platform of this machine, as captures have it: "linux-x86_64-CPU"; freed by the caller. */
char *machine_platform(void);

#endif
