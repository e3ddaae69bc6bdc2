/*
 * callrule: what a thread may wait for in a system call, by the call's name, what its first
 * argument says of it, and what the kernel's stack says instead.
 */
#ifndef WAITS_CALLRULE_H
#define WAITS_CALLRULE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "model/profile.h"
#include "model/reason.h"

/* The name of a system call of Linux, as of the kernel headers that this program was built with.
 * @compat: by the numbers of i386, else of x86-64. NULL: it is newer than the headers, or none. */
const char *syscall_name(uint32_t number, bool compat);

/* What a kernel stack says of the wait at its end, where the system call's number and arguments
 * say nothing or the wrong thing: a page fault within a call, a call that was restarted. A zeroed
 * one is empty and valid; for one profile. */
struct waitstack {
	VEC(uint8_t) kinds; /* by function: its kind + 1; 0: not looked at yet */
};

/* The kind of wait by the kernel's functions of the stack that ends at @node; REASON_NONE: they
 * do not say. */
enum reason_kind waitstack_kind(struct waitstack *, const struct profile *, uint32_t node);
void waitstack_release(struct waitstack *);

enum call_object {
	OBJECT_NONE,	   /* the first argument names nothing that is waited for */
	OBJECT_DESCRIPTOR, /* a descriptor: what is behind it decides the kind, if that is
			      REASON_FILE */
	OBJECT_ADDRESS,	   /* the address of a lock */
};

struct call_rule {
	const char *name;
	enum reason_kind kind;
	enum call_object object;
};

/* The rule for the call of that name; for one that has none: REASON_CALL, and no object. */
struct call_rule call_rule(const char *name);
/* What kind of wait one for a file is, by its type: @mode as in struct stat. */
enum reason_kind kind_of_mode(uint32_t mode);

#endif
