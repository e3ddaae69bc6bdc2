/*
 * syscalls: which system calls a confined process may make, by seccomp(2). Used by sandbox alone.
 *
 * It is a list of what is allowed: what the C library, HDF5, zlib, cairo, pango, glib and
 * fontconfig of Debian 12 call, seen by strace(1) over all commands and formats, and the close
 * relatives that other releases of them call instead. Files open for reading only, threads but no
 * processes, no memory that is both written and executed, limits are read and not set, signals go
 * to the process itself, and packets to its broker.
 *
 * All else fails with ENOSYS: libraries take that as an old kernel and do without, so one that
 * learns a new call keeps working, where ending the process would make of every update a crash.
 */
#ifndef SANDBOX_CALLFILTER_H
#define SANDBOX_CALLFILTER_H

#include <stdbool.h>

/* Whether this kernel has it. */
bool callfilter_is_there(void);

/* Allows only these from now on, and packets only at @socket. 0, also where the kernel has no
 * seccomp, or -errno with a text. Needs PR_SET_NO_NEW_PRIVS. */
int callfilter_set(int socket);

#endif
