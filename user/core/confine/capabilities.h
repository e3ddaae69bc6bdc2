/*
 * capabilities: limits the rights of a capture's processes that stay privileged, because they use
 * the kernel's BPF and perf interfaces. They parse strangers' bytes by bounded parsers only; should
 * one of these be broken all the same, the process can do no more than the list of its kind says.
 */
#ifndef CONFINE_CAPABILITIES_H
#define CONFINE_CAPABILITIES_H

enum capabilities_kind {
	CAPABILITIES_LOADER,	 /* once the capture has begun */
	CAPABILITIES_BROKER,	 /* makes the loader's files, and starts programs (core/broker) */
	CAPABILITIES_OPENER,	 /* opens files that may never answer (process/opener) */
	CAPABILITIES_KEEPER,	 /* attaches probes, holds them and leases */
	CAPABILITIES_CALIBRATOR, /* attaches probes to itself */
	/* The same two where probes are attached one by one, by perf events. */
	CAPABILITIES_KEEPER_BY_EVENTS,
	CAPABILITIES_CALIBRATOR_BY_EVENTS,
	CAPABILITIES_KINDS,
};

/*
 * Limits the process for good to the capabilities of its kind (the table in capabilities.c has a
 * reason for each), so that it gains none by exec or a change of user; refuses the system calls of
 * denied.c; and gives all kinds but the broker a user of their own, who owns nothing, if the caller
 * may set one. Other threads lose only the system calls: see capabilities_drop_thread(). 0, or
 * -errno with a text: then go no further.
 */
int capabilities_keep(enum capabilities_kind);

/* In a child of the broker, right before it runs eprof-render: passes on the capabilities to open
 * and make files of others. Before capabilities_keep() all are passed on anyway. */
void capabilities_pass_on(void);

/* Lowers and raises this thread's capabilities that override permissions of files: a change of the
 * user for files lowers only root's. 0 or -errno, no text. */
int capabilities_lower_files(void);
int capabilities_raise_files(void);

/* Drops all capabilities of this process, which has one thread. 0 or -errno, no text. */
int capabilities_drop(void);
/* The same for one of several threads, which also gets the user that the process will have. */
void capabilities_drop_thread(void);

#endif
