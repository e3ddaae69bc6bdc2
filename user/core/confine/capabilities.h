/*
 * capabilities: what is left to a process of a capture that goes on with privileges, because it
 * talks to the kernel's BPF and perf interfaces. It parses strangers' bytes by bounded parsers
 * alone; should one of these be broken all the same, it can do no more than the list of its kind
 * says.
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
 * From now on, for good: of what the process has the capabilities of its kind (the table in
 * capabilities.c, with a reason each) and no others, none to be gained by exec or by a change of
 * user, no system calls of the list in denied.c; all but the broker also a user of their own, who
 * owns nothing, where the caller may set one. Of other threads only the system calls: see
 * capabilities_drop_thread(). 0, or -errno with a text: then go no further.
 */
int capabilities_keep(enum capabilities_kind);

/* In a child of the broker, right before it runs eprof-render: passes on what that needs to open
 * and make files of others. Where nothing was given up yet, all is passed on anyway. */
void capabilities_pass_on(void);

/* Of this thread, until it is raised again: what overrides the permissions of files, which a change
 * of the user for files takes away from root alone. 0 or -errno, no text. */
int capabilities_lower_files(void);
int capabilities_raise_files(void);

/* None are left to this process of one thread. 0 or -errno, no text. */
int capabilities_drop(void);
/* The same for a thread beside others, which has the user from now on that the process will have.
 */
void capabilities_drop_thread(void);

#endif
