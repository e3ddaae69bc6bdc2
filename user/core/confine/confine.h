/*
 * confine: drops, irrevocably, all rights with which a process could do harm, before it parses a
 * stranger's bytes, in both programs. The kind of the process determines which system calls, files
 * and limits it keeps.
 *
 * No kind gains privileges, another user or a namespace, runs a program (but a tool its own), opens
 * a socket or io_uring, has executable memory (but a tool libraries) or shared memory, traces, uses
 * keys, signals others, raises a limit or leaves a core file; all die with the parent. seccomp
 * covers what a kernel lacks of landlock: a list of system calls (callfilter.h).
 */
#ifndef CONFINE_CONFINE_H
#define CONFINE_CONFINE_H

#include <stddef.h>

#include "confine/callfilter.h"

/* Closes all descriptors but 0 to 2 and the @n in @keep, which it sorts. */
void confine_close(int *keep, size_t n);

/* Redirects standard streams to /dev/null (but stderr, for sanitizers), lets faults and SIGTERM end
 * the process, and ignores SIGINT, on which the parent acts. */
void confine_silence(void);

/* Confines the process; the caller has closed descriptors and set handlers before. 0, or -errno
 * with a text: then go no further. */
int confine_enter(const struct confine_terms *);

#endif
