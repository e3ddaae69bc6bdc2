#include "source/action.h"

#define ACTION(name, number, sees, bytes) extern const struct action name##_action;
#include "actions.def"
#undef ACTION

/* The rows of both come from the engine. */
const struct action zone_action = {.name = "zone"};
const struct action count_action = {.name = "count"};

const struct action *action_of(uint32_t number)
{
	static const struct action *const table[] = {
#define ACTION(name, number, sees, bytes) [number] = &name##_action,
#include "actions.def"
#undef ACTION
	};

	return table[number];
}
