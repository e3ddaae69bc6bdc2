/*
 * denied: refuses system calls to the privileged processes of a running capture, by seccomp(2).
 * Used by capabilities only. It lists refused calls, not allowed ones: these processes run no
 * stranger's code, and use too much of the kernel for a list of allowed calls.
 */
#ifndef CONFINE_DENIED_H
#define CONFINE_DENIED_H

enum denied_to {
	DENIED_TO_BROKER, /* the machine, namespaces, other processes */
	DENIED_TO_LOADER, /* also programs, to make or change files by name, most of bpf(2) */
	DENIED_TO_OPENER, /* the same, and to be root; it may call openat2(2) */
	DENIED_TO_KEEPER, /* as the loader, and to start processes */
};

/* Refuses the calls with EPERM to all threads. 0, also without seccomp, or -errno with a text.
 * Needs PR_SET_NO_NEW_PRIVS. */
int denied_set(enum denied_to);

/* Refuses with EPERM, to all threads, all of bpf(2) but a capture's own maps and links: loading
 * programs and types, opening others' programs, maps and links, pinning. 0 or -errno, no text.
 * Needs seccomp and PR_SET_NO_NEW_PRIVS. */
int bpfcalls_limit(void);

#endif
