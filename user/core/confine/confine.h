/*
 * confine: drops, irrevocably, all rights of this process with which it could do harm, before it
 * parses a stranger's bytes. One room for both programs: a process says what kind it is, and the
 * kind says which system calls, files and limits are left to it.
 *
 * Whatever the kind: no new privileges, no other user, no namespace, no program (but a tool its
 * own), no socket, no io_uring, no executable memory (but a tool files), no shared memory, no
 * tracing, no keys, no signals to others, no limit raised, no core file, and death with the parent.
 * What a kernel lacks of landlock is covered by seccomp: a list of system calls (callfilter.h).
 */
#ifndef CONFINE_CONFINE_H
#define CONFINE_CONFINE_H

#include <stddef.h>

#include "confine/terms.h"

/* Closes all descriptors but 0 to 2 and the @n in @keep, which it sorts. */
void confine_close(int *keep, size_t n);

/* Standard streams go nowhere (but stderr, for sanitizers), faults and SIGTERM end the process,
 * SIGINT is ignored: for the parent to act on. */
void confine_silence(void);

/* Descriptors and handlers are the caller's to settle before. 0, or -errno with a text: then go no
 * further. */
int confine_enter(const struct confine_terms *);

#endif
