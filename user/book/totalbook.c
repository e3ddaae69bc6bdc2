#include "book/totalbook.h"

#include "base/hash.h"
#include "model/waits.h"

void totalbook_release(struct totalbook *b)
{
	vec_release(&b->rows);
}

void totalbook_add(struct totalbook *b, const struct total *t)
{
	vec_push(&b->rows, *t);
}

#define PRIORITY_NICE_0 120

static int64_t nice_of(uint32_t priority)
{
	return priority ? (int64_t)priority - PRIORITY_NICE_0 : 0;
}

void totalbook_put(const struct totalbook *b, struct assembly *a)
{
	const size_t first = a->p->thread_waits.n;
	struct map by_thread = {0};

	vec_each (t, &b->rows) {
		const struct thread_wait row = {.thread = assembly_thread(a, t->thread),
						.on_ns = (int64_t)t->on_ns,
						.blocked_ns = (int64_t)t->blocked_ns,
						.runnable_ns = (int64_t)t->runnable_ns,
						.waits = t->waits,
						.voluntary = t->voluntary,
						.involuntary = t->involuntary,
						.nice = nice_of(t->priority),
						.quota_ns = (int64_t)t->quota_ns,
						.period_ns = (int64_t)t->period_ns};
		const uint32_t at =
			map_number(&by_thread, row.thread, a->p->thread_waits.n - first);

		if (first + at == a->p->thread_waits.n)
			vec_push(&a->p->thread_waits, row);
		else
			thread_wait_add(&a->p->thread_waits.at[first + at], &row);
	}
	map_release(&by_thread);
}

void totalbook_window_end(struct totalbook *b)
{
	b->ended = b->rows.n;
}

void totalbook_window_forget(struct totalbook *b, struct survivors *r)
{
	vec_drop_first(&b->rows, b->ended);
	b->ended = 0;
	vec_each (t, &b->rows)
		survivors_thread(r, t->thread);
}

void totalbook_window_renumber(struct totalbook *b, const struct survivors *r)
{
	vec_each (t, &b->rows)
		t->thread = survivors_new_thread(r, t->thread);
}
