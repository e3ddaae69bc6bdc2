#include "source/action.h"

extern const struct action zone_action;
#define ACTION(name, number) extern const struct action name##_action;
#include "actions.def"
#undef ACTION

/* The engine's own. */
const struct action zone_action = {.name = "zone"};

const struct action *action_of(uint32_t number)
{
	static const struct action *const table[] = {
#define ACTION(name, number) [number] = &name##_action,
#include "actions.def"
#undef ACTION
	};

	return number && number < sizeof(table) / sizeof(*table) ? table[number] : NULL;
}

void actions_finish(uint32_t actions, struct session *session, struct assembly *a)
{
	for (uint32_t i = 1; i < WIRE_ACTIONS; i++) {
		const struct action *action = actions >> i & 1 ? action_of(i) : NULL;

		if (action && action->finish)
			action->finish(session, a);
	}
}
