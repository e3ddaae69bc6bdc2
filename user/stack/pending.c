#include <stdlib.h>
#include <string.h>

#include "stack/pending.h"

/* Ring records hold 64-bit words. */
#define ALIGN 8

#define KEEP_BYTES (1u << 20)

void pending_ring(struct pending *p, const void *record, size_t n, uint64_t time_ns)
{
	size_t room = (n + ALIGN - 1) / ALIGN * ALIGN;
	struct pending_item item = {
		.time_ns = time_ns, .order = (uint32_t)p->items.n, .at = p->bytes.n, .n = room};

	vec_reserve(&p->bytes, p->bytes.n + room);
	memcpy(p->bytes.at + p->bytes.n, record, n);
	p->bytes.n += room;
	vec_push(&p->items, item);
}

uint64_t pending_due_ns(uint64_t *stack_ns, bool is_stack, uint64_t time_ns)
{
	if (!is_stack)
		return time_ns > *stack_ns ? time_ns : *stack_ns;
	if (time_ns > *stack_ns)
		*stack_ns = time_ns;
	return time_ns;
}

void pending_side(struct pending *p, size_t first)
{
	for (size_t i = first; i < p->side.n; i++) {
		struct pending_item item = {.time_ns = p->side.at[i].time_ns,
					    .order = (uint32_t)p->items.n,
					    .side = (uint32_t)i + 1};

		vec_push(&p->items, item);
	}
}

static int by_time(const void *a, const void *b)
{
	const struct pending_item *x = a, *y = b;

	if (x->time_ns != y->time_ns)
		return x->time_ns < y->time_ns ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* Makes the items from @done on, with their records, the new set. */
static void keep_rest(struct pending *p, size_t done)
{
	struct pending rest = {0};

	for (size_t i = done; i < p->items.n; i++) {
		const struct pending_item *item = &p->items.at[i];

		if (item->side) {
			struct side_record *r = &p->side.at[item->side - 1];

			vec_push(&rest.side, *r);
			r->text = NULL; /* moved */
			pending_side(&rest, rest.side.n - 1);
		} else {
			pending_ring(&rest, p->bytes.at + item->at, item->n, item->time_ns);
		}
	}
	pending_release(p);
	*p = rest;
}

static bool is_stopped(const struct pending_handlers *h)
{
	return h->stop && *h->stop;
}

void pending_take(struct pending *p, uint64_t until_ns, const struct pending_handlers *h)
{
	size_t i;

	if (p->items.n)
		qsort(p->items.at, p->items.n, sizeof(*p->items.at), by_time);
	for (i = 0; i < p->items.n && p->items.at[i].time_ns < until_ns && !is_stopped(h); i++) {
		const struct pending_item *item = &p->items.at[i];

		if (item->side)
			h->side(h->context, &p->side.at[item->side - 1]);
		else
			h->ring(h->context, p->bytes.at + item->at);
	}
	if (i < p->items.n) {
		keep_rest(p, i);
		return;
	}
	side_records_clear(&p->side);
	p->items.n = p->bytes.n = 0;
	/* Many slices come in one burst: give the memory back. */
	if (p->bytes.cap > KEEP_BYTES)
		vec_release(&p->bytes);
}

void pending_append(struct pending *to, struct pending *from)
{
	for (size_t i = 0; i < from->items.n; i++) {
		const struct pending_item *item = &from->items.at[i];

		if (!item->side)
			pending_ring(to, from->bytes.at + item->at, item->n, item->time_ns);
	}
	pending_release(from);
}

void pending_release(struct pending *p)
{
	side_records_clear(&p->side);
	vec_release(&p->side);
	vec_release(&p->bytes);
	vec_release(&p->items);
}
