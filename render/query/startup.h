/*
 * startup: frames that every thread or every system call begins with, and that say nothing of the
 * program: what shortens stacks leaves these out first. Never what is counted.
 */
#ifndef QUERY_STARTUP_H
#define QUERY_STARTUP_H

#include <stdbool.h>
#include <stddef.h>

#include "model/profile.h"

enum startup {
	STARTUP_NOT,
	STARTUP_THREAD, /* "_start", "start_thread" */
	STARTUP_CALL,	/* "do_syscall_64", "__x64_sys_read" */
};

enum startup startup_of(const struct profile *, uint32_t function);

/* What it goes by: name; one that ends in '*' stands for all that begin with what is before it. */
extern const struct startup_name {
	const char *name;
	enum startup what;
} startup_names[];
extern const size_t startup_names_n;

#endif
