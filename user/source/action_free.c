/*
 * action_free: functions that take back blocks: what the action alloc must know of them.
 */
#include "source/action.h"

extern const struct action free_action;

static const char *const implies[] = {"free", "cfree", NULL};

const struct action free_action = {
	.name = "free",
	.arguments = 1u << 0,
	.keeps_limit = true,
	.implies = implies,
};
