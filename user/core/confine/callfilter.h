/*
 * callfilter: which system calls a confined process may make, by seccomp(2). Used by confine, and
 * to say what a kernel offers.
 *
 * It is a list of what is allowed, by kind of process: what the C library, libelf, libdw, HDF5,
 * zlib, cairo, pango, glib and fontconfig of Debian 12 call, seen by strace(1) over all commands
 * and formats, and the close relatives that other releases of them call instead. Limits are read
 * and not set (but the soft one of CPU time by a reader), signals go to the process itself, no
 * memory is executable, shared and anonymous, or huge pages.
 *
 * All else fails with ENOSYS: libraries take that as an old kernel and do without, so one that
 * learns a new call keeps working, where ending the process would make of every update a crash.
 */
#ifndef CONFINE_CALLFILTER_H
#define CONFINE_CALLFILTER_H

#include <stdbool.h>

#include "confine/terms.h"

/* Whether this kernel has it. */
bool callfilter_is_there(void);

/* Allows only these from now on, packets only at its socket, and a tool to run its program. 0, also
 * where the kernel has no seccomp, or -errno with a text. Needs PR_SET_NO_NEW_PRIVS. */
int callfilter_set(const struct confine_terms *);

#endif
