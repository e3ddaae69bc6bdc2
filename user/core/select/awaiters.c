#include "select/awaiters.h"

#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "model/profile.h"

/* What the running task stands for that has no name (script/async.c): where a chain begins. */
#define NAMELESS "[task]"
/* How the capture says of samples that they could not have any (source/ledger.c). */
#define NONE "no awaiting tasks: "

static const struct function *function_of(const struct profile *p, uint32_t frame)
{
	return &p->functions.at[p->frames.at[frame].function];
}

static bool is_awaiter(const struct profile *p, uint32_t frame)
{
	return function_of(p, frame)->kind == KIND_AWAITER;
}

bool awaiters_are_in(const struct profile *p)
{
	vec_each (f, &p->functions)
		if (f->kind == KIND_AWAITER)
			return true;
	return false;
}

/* Functions have a module, what else is said of tasks has none. */
static bool is_nameless(const struct profile *p, const struct function *f)
{
	return !f->module && !strcmp(profile_text(p, f->name), NAMELESS);
}

/* The same frame as one of a script, or of what is no function. */
static uint32_t as_shown(struct profile *p, uint32_t number)
{
	struct frame frame = p->frames.at[number];
	struct function f = p->functions.at[frame.function];

	f.kind = f.module ? KIND_PYTHON : KIND_MARK;
	frame.function = profile_function(p, &f);
	return profile_frame(p, &frame);
}

/* The node in the place of node @i; @place: those of the nodes before. */
static uint32_t place_of(struct profile *p, const uint32_t *place, size_t i, bool shown)
{
	const struct node node = p->nodes.at[i];
	uint32_t parent = place[node.parent];

	if (!is_awaiter(p, node.frame))
		return profile_node(p, parent, node.frame);
	if (!shown)
		return parent;
	/* The outermost one is called by the loop. */
	if (!is_awaiter(p, p->nodes.at[node.parent].frame))
		parent = 0;
	if (is_nameless(p, function_of(p, node.frame)))
		return parent;
	return profile_node(p, parent, as_shown(p, node.frame));
}

void awaiters_show(struct profile *p, bool shown)
{
	const size_t n = p->nodes.n;
	_free_ uint32_t *place = NULL;

	if (!awaiters_are_in(p))
		return;
	place = mem_zalloc(n + 1, sizeof(*place));
	for (size_t i = 1; i < n; i++)
		place[i] = place_of(p, place, i, shown);
	for (size_t i = 0; i < p->samples.n; i++)
		p->samples.at[i].node = place[p->samples.at[i].node];
}

const char *awaiters_missing(const struct profile *p)
{
	if (awaiters_are_in(p))
		return NULL;
	vec_each (r, &p->ledger) {
		const char *name = profile_text(p, r->name);

		if (r->count && str_starts(name, NONE))
			return name + strlen(NONE);
	}
	return "captured without --async, or no task ran";
}
