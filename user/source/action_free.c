/*
 * action_free: functions that take back blocks: what the action alloc must know of them.
 */
#include "source/action.h"

extern const struct action free_action;

/* As those of action_alloc.c. */
static const char *const implies[] = {"free",
				      "cfree",
				      "dallocx",
				      "sdallocx",
				      "je_free",
				      "_rjem_sdallocx",
				      "_rjem_free",
				      "mi_free",
				      "tc_free",
				      "_ZdlPv",
				      "_ZdlPvm",
				      "_ZdlPvRKSt9nothrow_t",
				      "_ZdlPvSt11align_val_t",
				      "_ZdlPvmSt11align_val_t",
				      "_ZdaPv",
				      "_ZdaPvm",
				      "_ZdaPvRKSt9nothrow_t",
				      "_ZdaPvSt11align_val_t",
				      "_ZdaPvmSt11align_val_t",
				      NULL};

const struct action free_action = {
	.name = "free",
	.option = "free",
	.numbered = true,
	.needs = 1u << WIRE_ACTION_alloc,
	.does = "functions that take blocks of --alloc back; PATTERN#2: as above",
	.arguments = 1u << 0,
	.keeps_limit = true,
	.implies = implies,
};
