/*
 * denied: system calls that no process of a capture makes once it has begun, by seccomp(2). Used by
 * capabilities alone. It is a list of what is refused, not of what is allowed: these processes run
 * no stranger's code, and use too much of the kernel for the other kind.
 */
#ifndef CONFINE_DENIED_H
#define CONFINE_DENIED_H

enum denied_to {
	DENIED_TO_BROKER, /* the machine, namespaces, other processes */
	DENIED_TO_LOADER, /* also programs, to make or change files by name, most of bpf(2) */
	DENIED_TO_OPENER, /* the same, and to be root; but openat2(2), below a target's root */
	DENIED_TO_KEEPER, /* as the loader, and processes */
};

/* Refuses them, with EPERM, to all threads. 0, also where the kernel has no seccomp, or -errno with
 * a text. Needs PR_SET_NO_NEW_PRIVS. */
int denied_set(enum denied_to);

#endif
