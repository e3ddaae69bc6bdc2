#include "book/wakebook.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct wakebook *wakebook_new(void)
{
	struct wakebook *b = mem_zalloc(1, sizeof(*b));

	samplebook_init(&b->book, WIRE_OFF_STREAM_WAKE, 1);
	return b;
}

void wakebook_free(struct wakebook *b)
{
	if (!b)
		return;
	samplebook_release(&b->book);
	vec_release(&b->wakes);
	free(b);
}

/* The slot of thread @tid's last waking, which may hold another thread's. */
static struct wake_last *last_of(struct wakebook *b, uint32_t tid)
{
	return &b->last[tid % WAKE_THREADS];
}

static uint64_t out_ns(const struct wire_offcpu *w)
{
	return w->sample.time_ns - w->wait_ns;
}

static void add(struct wakebook *b, struct wake_last *l, uint32_t zone)
{
	const struct wake_place *waker = &l->wake.wakers.at[0];
	const struct sample_row row = {.time_ns = l->time_ns,
				       .weight = l->weight,
				       .wait_ns = l->time_ns - l->out_ns,
				       .thread = waker->thread,
				       .user = waker->user,
				       .kernel = waker->kernel,
				       .zone = zone};

	l->pending = false;
	if (samplebook_push(&b->book, &row))
		vec_push(&b->wakes, l->wake);
}

/* Adds a waking whose wait has no sample. */
static void add_alone(struct wakebook *b, struct wake_last *l)
{
	b->alone++;
	add(b, l, 0);
}

/* The waker; and, if it waited itself during the wait that it ended, who woke it. Earlier wakings
 * of the waker have nothing to do with this wait. */
static void begin_chain(struct wakebook *b, const struct wire_offcpu *w,
			const struct sample_row *waker, struct wake_chain *chain)
{
	const struct wake_last *own = last_of(b, w->sample.tid);
	const struct wake_chain *before = &own->wake.wakers;
	const bool waited = w->sample.pid && own->tid == w->sample.tid && own->time_ns > out_ns(w);

	chain->at[0] = (struct wake_place){waker->thread, waker->user, waker->kernel};
	chain->n = 1;
	for (uint32_t i = 0; waited && i < before->n && chain->n < WAKE_CHAIN; i++)
		chain->at[chain->n++] = before->at[i];
}

void wakebook_wake(struct wakebook *b, const struct wire_offcpu *w, uint32_t user,
		   struct stackbook *stacks, struct procs *procs)
{
	const struct wire_sample *s = &w->sample;
	const struct sample_row waker = samplebook_row(&b->book, s, 0, user, stacks, procs);
	struct wake_last *l = last_of(b, w->woken.tid);
	struct wake_last now = {
		.tid = w->woken.tid,
		.out_ns = out_ns(w),
		.time_ns = s->time_ns,
		.weight = s->weight,
		.wake.woken = {procs_thread(procs, w->woken.pid, w->woken.tid), NO_STACK, NO_STACK},
		.pending = true,
		.renewed = true,
	};

	begin_chain(b, w, &waker, &now.wake.wakers);
	if (l->pending)
		add_alone(b, l);
	*l = now;
}

void wakebook_wait(struct wakebook *b, const struct wire_offcpu *w, const struct sample_row *wait)
{
	struct wake_last *l = last_of(b, w->sample.tid);

	if (!l->pending || l->tid != w->sample.tid || l->out_ns != out_ns(w))
		return;
	l->wake.woken = (struct wake_place){wait->thread, wait->user, wait->kernel};
	l->wake.reason = wait->reason;
	add(b, l, wait->zone);
}

void wakebook_finish(struct wakebook *b)
{
	for (uint32_t i = 0; i < WAKE_THREADS; i++)
		if (b->last[i].pending)
			add_alone(b, &b->last[i]);
}

/* --- windows -------------------------------------------------------------------------------- */

void wakebook_window_end(struct wakebook *b)
{
	samplebook_window_end(&b->book);
	b->ended = b->wakes.n;
}

static void mark_place(struct survivors *r, const struct wake_place *p)
{
	survivors_mark(r, p->thread, p->user, p->kernel);
}

static void mark(struct survivors *r, const struct wake *w)
{
	mark_place(r, &w->woken);
	for (uint32_t i = 0; i < w->wakers.n; i++)
		mark_place(r, &w->wakers.at[i]);
}

static void renumber_place(const struct survivors *r, struct wake_place *p)
{
	survivors_renumber(r, &p->thread, &p->user, &p->kernel);
}

static void renumber(const struct survivors *r, struct wake *w)
{
	renumber_place(r, &w->woken);
	for (uint32_t i = 0; i < w->wakers.n; i++)
		renumber_place(r, &w->wakers.at[i]);
}

/* Forgets the wakings of threads that were not woken in this window: they may have ended. */
static void forget_last(struct wakebook *b, struct survivors *r)
{
	for (uint32_t i = 0; i < WAKE_THREADS; i++) {
		struct wake_last *l = &b->last[i];

		if (!l->pending && !l->renewed)
			l->tid = 0;
		l->renewed = false;
		if (l->tid)
			mark(r, &l->wake);
	}
}

void wakebook_window_forget(struct wakebook *b, struct survivors *r)
{
	samplebook_window_forget(&b->book, r);
	vec_drop_first(&b->wakes, b->ended);
	b->ended = 0;
	for (size_t i = 0; i < b->wakes.n; i++)
		mark(r, &b->wakes.at[i]);
	forget_last(b, r);
}

void wakebook_window_renumber(struct wakebook *b, const struct survivors *r)
{
	samplebook_window_renumber(&b->book, r);
	for (size_t i = 0; i < b->wakes.n; i++)
		renumber(r, &b->wakes.at[i]);
	for (uint32_t i = 0; i < WAKE_THREADS; i++)
		if (b->last[i].tid)
			renumber(r, &b->last[i].wake);
}

void wakebook_mark_reasons(const struct wakebook *b, uint32_t *numbers)
{
	vec_each (w, &b->wakes)
		numbers[w->reason] = 1;
}

void wakebook_renumber_reasons(struct wakebook *b, const uint32_t *numbers)
{
	vec_each (w, &b->wakes)
		w->reason = w->reason ? numbers[w->reason] : 0;
}
