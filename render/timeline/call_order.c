#include "timeline/call_order.h"

#include <string.h>

static uint64_t key_of(const struct walked_call *c)
{
	return hash_two(c->call.lane, c->place);
}

/* --- those that last -------------------------------------------------------------------------- */

static void note_row(void *data, struct call_walk *w, struct walked_call *c)
{
	(void)data;
	c->mark = w->row;
}

static void keep_lasting(void *data, struct call_walk *w, struct walked_call *c)
{
	struct call_order *o = data;

	if (w->row - c->mark > CALL_ORDER_ROWS)
		vec_push(&o->lasting, *c);
}

static void again(void *data)
{
	((struct call_order *)data)->lasting.n = 0;
}

static int find_lasting(struct call_order *o, struct call_choice *choice)
{
	const struct call_taker taker = {
		.begin = note_row, .end = keep_lasting, .again = again, .data = o};
	const int rc = call_walk_all(choice, &taker);
	bool fresh;

	for (uint32_t i = 0; i < o->lasting.n; i++)
		*map_put(&o->by_place, key_of(&o->lasting.at[i]), &fresh) = i;
	return rc;
}

/* --- those that wait -------------------------------------------------------------------------- */

static bool is_before(const struct call_order *o, uint32_t a, uint32_t b)
{
	const struct walked_call *x = &o->waiting.at[a].call, *y = &o->waiting.at[b].call;

	return x->call.start_ns != y->call.start_ns ? x->call.start_ns < y->call.start_ns
						    : walked_call_order(x, y) < 0;
}

static void heap_push(struct call_order *o, uint32_t at)
{
	size_t i = o->heap.n;

	vec_push(&o->heap, at);
	for (; i && is_before(o, at, o->heap.at[(i - 1) / 2]); i = (i - 1) / 2)
		o->heap.at[i] = o->heap.at[(i - 1) / 2];
	o->heap.at[i] = at;
}

static uint32_t heap_pop(struct call_order *o)
{
	const uint32_t first = o->heap.at[0], last = o->heap.at[--o->heap.n];
	size_t i = 0;

	for (size_t k = 1; k < o->heap.n; i = k, k = 2 * k + 1) {
		k += k + 1 < o->heap.n && is_before(o, o->heap.at[k + 1], o->heap.at[k]);
		if (!is_before(o, o->heap.at[k], last))
			break;
		o->heap.at[i] = o->heap.at[k];
	}
	o->heap.at[i] = last;
	return first;
}

static void wait_for(void *data, struct call_walk *w, struct walked_call *c)
{
	struct call_order *o = data;
	const uint32_t *lasting = map_get(&o->by_place, key_of(c));
	uint32_t at;

	(void)w;
	if (o->spare.n) {
		at = o->spare.at[--o->spare.n];
	} else {
		at = (uint32_t)o->waiting.n;
		vec_push(&o->waiting, (struct ordered_call){0});
	}
	o->waiting.at[at] =
		(struct ordered_call){lasting ? o->lasting.at[*lasting] : *c, lasting != NULL};
	c->mark = lasting ? 0 : at + 1;
	heap_push(o, at);
}

static void ended(void *data, struct call_walk *w, struct walked_call *c)
{
	struct call_order *o = data;

	(void)w;
	if (c->mark)
		o->waiting.at[c->mark - 1] = (struct ordered_call){*c, true};
}

/* Takes the first one out, if it has ended and none that is to come begins before it. */
static bool take_first(struct call_order *o)
{
	const struct ordered_call *first = o->heap.n ? &o->waiting.at[o->heap.at[0]] : NULL;

	if (!first || !first->ended || (!o->over && first->call.call.start_ns >= o->walk.low_ns))
		return false;
	o->told = first->call;
	vec_push(&o->spare, heap_pop(o));
	return true;
}

/* --- all together ----------------------------------------------------------------------------- */

int call_order_begin(struct call_order *o, struct call_choice *choice)
{
	int rc;

	*o = (struct call_order){.taker = {.begin = wait_for, .end = ended, .data = o}};
	rc = find_lasting(o, choice);
	call_walk_begin(&o->walk, choice, &o->taker);
	return rc;
}

const struct walked_call *call_order_next(struct call_order *o)
{
	for (;;) {
		if (take_first(o)) {
			if (o->told.taken)
				return &o->told;
		} else if (o->over) {
			return NULL;
		} else {
			o->over = !call_walk_next(&o->walk);
		}
	}
}

int call_order_end(struct call_order *o)
{
	const int rc = call_walk_end(&o->walk);

	vec_release(&o->lasting);
	map_release(&o->by_place);
	vec_release(&o->waiting);
	vec_release(&o->spare);
	vec_release(&o->heap);
	return rc;
}
