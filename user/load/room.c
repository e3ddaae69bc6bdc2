#include <string.h>

#include "load/room.h"

/* The first of @n consecutive free lines; WIRE_POOL_LINES if there are none. */
static uint32_t find_run(const struct room_pool *p, uint32_t n)
{
	uint32_t first = 0;

	for (uint32_t i = 0; i < WIRE_POOL_LINES; i++) {
		if (p->taken[i])
			first = i + 1;
		else if (i + 1 - first == n)
			return first;
	}
	return WIRE_POOL_LINES;
}

bool room_take(struct room *r, uint32_t n, uint32_t *pool, uint32_t *first)
{
	for (size_t i = 0; i < r->pools.n; i++) {
		uint32_t number = (uint32_t)((r->next + i) % r->pools.n);
		struct room_pool *p = &r->pools.at[number];

		if (!n || p->free < n || (*first = find_run(p, n)) == WIRE_POOL_LINES)
			continue;
		memset(p->taken + *first, 1, n);
		p->free -= n;
		r->used += n;
		*pool = r->next = number;
		return true;
	}
	return false;
}

void room_give(struct room *r, uint32_t pool, uint32_t first, uint32_t n)
{
	struct room_pool *p = &r->pools.at[pool];

	memset(p->taken + first, 0, n);
	p->free += n;
	r->used -= n;
}

bool room_add_pool(struct room *r)
{
	uint32_t before = (uint32_t)r->pools.n * WIRE_POOL_LINES, lines;
	struct room_pool *p;

	if (before >= r->limit)
		return false;
	lines = r->limit - before < WIRE_POOL_LINES ? r->limit - before : WIRE_POOL_LINES;
	p = vec_add(&r->pools);
	memset(p->taken + lines, 1, WIRE_POOL_LINES - lines);
	p->free = lines;
	r->next = (uint32_t)r->pools.n - 1;
	return true;
}

void room_release(struct room *r)
{
	vec_release(&r->pools);
}
