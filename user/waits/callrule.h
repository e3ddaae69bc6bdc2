/*
 * callrule: what a thread may wait for in a system call: by the call's name, by its first argument,
 * and by the kernel's stack.
 */
#ifndef WAITS_CALLRULE_H
#define WAITS_CALLRULE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "model/profile.h"
#include "model/reason.h"

/* The name of a Linux system call, from the kernel headers of this build. @compat: @number is
 * i386's, else x86-64's. NULL: it is newer than the headers, or does not exist. */
const char *syscall_name(uint32_t number, bool compat);

/* What a kernel stack says about the wait at its end, for when the system call's number and
 * arguments say nothing or mislead: a page fault within a call, a restarted call. A zeroed one is
 * empty and valid; for one profile. */
struct waitstack {
	VEC(uint8_t) kinds; /* by function: its kind + 1; 0: not computed yet */
};

/* The kind of wait by the kernel functions of the stack that ends at @node; REASON_NONE: they do
 * not tell. */
enum reason_kind waitstack_kind(struct waitstack *, const struct profile *, uint32_t node);
void waitstack_release(struct waitstack *);

enum call_object {
	OBJECT_NONE,	   /* the first argument does not identify what is waited for */
	OBJECT_DESCRIPTOR, /* a descriptor; if kind is REASON_FILE, its file decides the kind */
	OBJECT_ADDRESS,	   /* the address of a lock */
};

struct call_rule {
	const char *name;
	enum reason_kind kind;
	enum call_object object;
};

/* The rule for the call of that name; for others REASON_CALL without an object. */
struct call_rule call_rule(const char *name);
/* The kind of a wait for a file, by its type: @mode as in struct stat. */
enum reason_kind kind_of_mode(uint32_t mode);

#endif
