#include "query/wait_peers.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"

/* What threads say of a call path. */
struct opinion {
	uint32_t work; /* of the thread that worked most */
	uint8_t rule;  /* what that says */
	bool held_up;  /* one of them was */
};

static bool is_sure(uint8_t rule)
{
	return rule == RULE_HELD_UP || rule == RULE_IDLE || rule == RULE_IDLE_POLL;
}

static uint32_t work_of(const struct wait_paths *p, uint32_t path)
{
	return p->at.at[p->at.at[path].root].work;
}

/* With one stack alone the thread has never shown what it does when it does not wait. */
static bool says_little(const struct wait_paths *p, uint32_t path)
{
	return work_of(p, path) < WAIT_WORK_ENOUGH && p->at.at[p->at.at[path].root].stacks > 1;
}

/* A hash of the functions from the root on, by path; freed by the caller. */
static uint64_t *chains(const struct wait_paths *p)
{
	uint64_t *chain = mem_zalloc(p->at.n + 1, sizeof(*chain));

	for (uint32_t i = 1; i < p->at.n; i++) {
		const struct wait_path *at = &p->at.at[i];

		if (at->parent != i)
			chain[i] = hash_two(chain[at->parent] + 1, at->function);
	}
	return chain;
}

static void take_in(struct opinion *o, uint32_t work, uint8_t rule)
{
	o->held_up |= rule == RULE_HELD_UP;
	if (work > o->work) {
		o->work = work;
		o->rule = rule;
	}
}

static uint8_t agreed(const struct opinion *o, uint8_t own)
{
	if (o->work >= WAIT_WORK_ENOUGH)
		return o->rule;
	return o->held_up ? RULE_HELD_UP : own;
}

void wait_peers_agree(const struct wait_paths *p, uint8_t *rule)
{
	_free_ uint64_t *chain = chains(p);
	VEC(struct opinion) opinions = {0};
	struct map by_chain = {0};

	for (uint32_t i = 1; i < p->at.n; i++) {
		uint32_t at;

		if (!chain[i] || !is_sure(rule[i]) || !p->at.at[i].direct)
			continue;
		at = map_number(&by_chain, chain[i], opinions.n);
		if (at == opinions.n)
			vec_push(&opinions, ((struct opinion){0}));
		take_in(&opinions.at[at], work_of(p, i), rule[i]);
	}
	for (uint32_t i = 1; i < p->at.n; i++) {
		const struct wait_path *at = &p->at.at[i];
		const uint32_t *known;

		if (!chain[i] || !at->direct || !says_little(p, i))
			continue;
		known = map_get(&by_chain, chain[i]);
		if (known)
			rule[i] = agreed(&opinions.at[*known], rule[i]);
	}
	vec_release(&opinions);
	map_release(&by_chain);
}
