/*
 * call_arguments: the arguments of recorded calls as text: 'n=3, path="/etc"', and members of what
 * they point to: 'req.method="GET"'. Texts and members stand in slots of their own before the entry
 * of their call.
 */
#ifndef TIMELINE_CALL_ARGUMENTS_H
#define TIMELINE_CALL_ARGUMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/signature.h"
#include "base/hash.h"
#include "base/str.h"
#include "base/vec.h"
#include "wire_event.h"

/* Texts of arguments, and behind these of members. */
#define CALL_TEXTS (WIRE_EVENT_ARGUMENTS + WIRE_EVENT_MEMBERS)

/* What stands before the next entry of a thread. */
struct pending_arguments {
	char text[CALL_TEXTS][WIRE_EVENT_PIECES * WIRE_EVENT_PIECE + 1];
	uint32_t n[CALL_TEXTS]; /* bytes so far */
	uint32_t unreadable;	/* bits */
	uint32_t members;	/* bits: those that are there */
	uint64_t more[WIRE_EVENT_ARGUMENTS - 3];
	uint64_t member[WIRE_EVENT_MEMBERS];
};

struct call_arguments {
	struct map by_task; /* pid, tid → place in at */
	VEC(struct pending_arguments) at;
};

void call_arguments_release(struct call_arguments *);

/* What the programs are told of a function that takes what @is says. */
struct wire_event_shape call_arguments_shape(const struct signature *is);

/* Whether it is a part of the entry that follows, for call_arguments_take(). */
static inline bool call_arguments_are(const struct wire_event *e)
{
	return e->kind == WIRE_EVENT_TEXT || e->kind == WIRE_EVENT_MORE ||
	       e->kind == WIRE_EVENT_MEMBER;
}
void call_arguments_take(struct call_arguments *, const struct wire_event *);
/* Adds the text for an entry of a function that takes what @is says. */
void call_arguments_add(struct call_arguments *, const struct signature *is,
			const struct wire_event *entry, struct str *out);
/* Adds the text that member number @member had before the thread's event, nothing if it had none.
 */
void call_arguments_member(struct call_arguments *, const struct wire_event *, uint32_t member,
			   struct str *out);

#endif
