/* action_toy: calls of functions as a row of toys, for a test of the house. */
#include "model/toy.h"
#include "source/action.h"

extern const struct action toy_action;

static void finish(struct session *session, struct assembly *a)
{
	uint64_t calls = 0;

	session_map_value(session, "probe_toy_calls", 0, &calls);
	if (!a->p->threads.n)
		profile_thread(a->p, &(struct thread){0});
	vec_push(&a->p->toys, ((struct toy){.name = intern_add(&a->p->strings, "called"),
					    .count = (int64_t)calls}));
}

const struct action toy_action = {
	.name = "toy",
	.option = "probe-toy",
	.does = "count calls, for a test",
	.finish = finish,
};
