/*
 * call_arguments: the arguments of recorded calls as text: 'n=3, path="/etc"'. Texts stand in
 * slots of their own before the entry of their call.
 */
#ifndef TIMELINE_CALL_ARGUMENTS_H
#define TIMELINE_CALL_ARGUMENTS_H

#include <stdint.h>

#include "abi/signature.h"
#include "base/hash.h"
#include "base/str.h"
#include "base/vec.h"
#include "wire_event.h"

/* What stands before the next entry of a thread. */
struct pending_arguments {
	char text[WIRE_EVENT_ARGUMENTS][WIRE_EVENT_PIECES * WIRE_EVENT_PIECE + 1];
	uint32_t n[WIRE_EVENT_ARGUMENTS]; /* bytes so far */
	uint32_t unreadable;		  /* bits */
	uint64_t more[WIRE_EVENT_ARGUMENTS - 3];
};

struct call_arguments {
	struct map by_task; /* pid, tid → place in at */
	VEC(struct pending_arguments) at;
};

void call_arguments_release(struct call_arguments *);

/* Takes a WIRE_EVENT_TEXT or WIRE_EVENT_MORE. */
void call_arguments_take(struct call_arguments *, const struct wire_event *);
/* Adds the text for an entry of a function that takes what @is says. */
void call_arguments_add(struct call_arguments *, const struct signature *is,
			const struct wire_event *entry, struct str *out);

#endif
