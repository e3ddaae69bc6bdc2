/*
 * action_moment: functions of whose calls the timeline has the beginnings alone: those that throw
 * and catch exceptions, and CPython's that each raise statement and each error of its C code calls.
 */
#include "source/action.h"

extern const struct action moment_action;

/* As those of action_event.c. */
static const char *const implies[] = {"_Unwind_RaiseException",
				      "_Unwind_Resume_or_Rethrow",
				      "_Unwind_ForcedUnwind",
				      "__cxa_begin_catch",
				      "python*:_PyErr_SetObject",
				      "libpython*:_PyErr_SetObject",
				      NULL};

const struct action moment_action = {
	.name = "moment",
	.joins = 1u << WIRE_ACTION_free,
	.arguments = 1u << 0 | 1u << 1,
	.implies = implies,
};
