/*
 * action_free: functions that take back blocks: what the action alloc must know of them.
 */
#include "source/action.h"

extern const struct action free_action;

/* Of glibc, musl, and of allocators that are linked under names of their own. */
static const char *const implies[] = {"free",	 "cfree",      "je_free", "mi_free",
				      "tc_free", "_rjem_free", NULL};

const struct action free_action = {
	.name = "free",
	.arguments = 1u << 0,
	.implies = implies,
};
