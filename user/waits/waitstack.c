#include "waits/waitstack.h"

#include <string.h>

static const struct {
	const char *function;
	enum reason_kind kind;
} functions[] = {
	{"handle_mm_fault", REASON_FAULT},
	{"exc_page_fault", REASON_FAULT},
	{"asm_exc_page_fault", REASON_FAULT},
	{"do_user_addr_fault", REASON_FAULT},
	{"futex_wait_restart", REASON_LOCK},
	{"hrtimer_nanosleep_restart", REASON_SLEEP},
	{"alarm_timer_nsleep_restart", REASON_SLEEP},
	{"do_restart_poll", REASON_POLL},
};

void waitstack_release(struct waitstack *w)
{
	vec_release(&w->kinds);
}

static enum reason_kind kind_by_name(const char *name)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (!strcmp(functions[i].function, name))
			return functions[i].kind;
	return REASON_NONE;
}

static enum reason_kind kind_of(struct waitstack *w, const struct profile *p, uint32_t function)
{
	while (w->kinds.n <= function)
		vec_push(&w->kinds, 0);
	if (!w->kinds.at[function])
		w->kinds.at[function] =
			1 + kind_by_name(profile_text(p, p->functions.at[function].name));
	return w->kinds.at[function] - 1;
}

enum reason_kind waitstack_kind(struct waitstack *w, const struct profile *p, uint32_t node)
{
	for (; node; node = p->nodes.at[node].parent) {
		const uint32_t function = p->frames.at[p->nodes.at[node].frame].function;
		enum reason_kind kind;

		if (p->functions.at[function].kind != KIND_KERNEL)
			break;
		kind = kind_of(w, p, function);
		if (kind != REASON_NONE)
			return kind;
	}
	return REASON_NONE;
}
