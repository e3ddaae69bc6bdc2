#include "source/action.h"

#define ACTION(name, number, sees, bytes, streams) extern const struct action name##_action;
#include "actions.def"
#undef ACTION

/* Its counts are in the rows of zones. */
const struct action count_action = {.name = "count"};

const struct action *action_of(uint32_t number)
{
	static const struct action *const table[] = {
#define ACTION(name, number, sees, bytes, streams) [number] = &name##_action,
#include "actions.def"
#undef ACTION
	};

	return table[number];
}
