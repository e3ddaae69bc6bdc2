/*
 * wait_names: what the names of functions and modules tell of waits: which are only the way into
 * the kernel, which take a lock, and which are a runtime's own scheduler. For wait_paths.
 */
#ifndef QUERY_WAIT_NAMES_H
#define QUERY_WAIT_NAMES_H

#include "model/profile.h"

enum wait_name {
	WAIT_NAME_NONE,
	WAIT_NAME_WRAPPER,   /* a C library's function, or a wrapper of a system call */
	WAIT_NAME_LOCK,	     /* takes a lock; a wrapper, too */
	WAIT_NAME_SCHEDULER, /* looks for work for a thread, as Go's */
};

/* Of each of the profile's functions; freed by the caller. */
uint8_t *wait_names(const struct profile *);

#endif
