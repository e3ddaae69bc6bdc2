/*
 * action_stack: the calls of a function as samples, with their stacks: who calls it.
 */
#include "source/action.h"

extern const struct action stack_action;
const struct action stack_action = {
	.name = "stack",
	.option = "probe-stack",
	.does = "sample the calls of functions, with their stacks",
	.metric = "calls",
};
