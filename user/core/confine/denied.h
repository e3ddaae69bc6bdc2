/*
 * denied: system calls that no process of a capture makes once it has begun, by seccomp(2). Used by
 * capabilities alone. It is a list of what is refused, not of what is allowed: these processes run
 * no stranger's code, and use too much of the kernel for the other kind.
 */
#ifndef CONFINE_DENIED_H
#define CONFINE_DENIED_H

#include <stdbool.h>

/* Refuses them, with EPERM, to all threads; @programs: also to start a program or a process. 0,
 * also where the kernel has no seccomp, or -errno with a text. Needs PR_SET_NO_NEW_PRIVS. */
int denied_set(bool programs);

#endif
