/*
 * callrule: what a thread may wait for in a system call, and what the call's first argument says of
 * it.
 */
#ifndef WAITS_CALLRULE_H
#define WAITS_CALLRULE_H

#include <stdint.h>

#include "model/reason.h"

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
