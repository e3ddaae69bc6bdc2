#include "load/births.h"

bool births_know(const struct births *b, uint32_t id)
{
	return map_get(&b->at, id);
}

void births_note(struct births *b, uint32_t id, uint64_t since_ns)
{
	bool fresh;
	uint32_t *at = map_put(&b->at, id, &fresh);

	if (fresh) {
		*at = (uint32_t)b->since_ns.n;
		vec_push(&b->since_ns, since_ns);
	} else {
		b->since_ns.at[*at] = since_ns;
	}
}

bool births_inherit(struct births *b, uint32_t parent, uint32_t child, uint64_t born_ns)
{
	const uint32_t *at = map_get(&b->at, parent);

	if (!at || born_ns < b->since_ns.at[*at])
		return false;
	if (!births_know(b, child))
		births_note(b, child, born_ns);
	return true;
}

void births_release(struct births *b)
{
	map_release(&b->at);
	vec_release(&b->since_ns);
}
