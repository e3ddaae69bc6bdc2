#include "source/offcpu_threads.h"

#include <string.h>

#include "model/thread_wait.h"

void offcpu_threads_release(struct offcpu_threads *o)
{
	vec_release(&o->rows);
}

void offcpu_threads_take(struct offcpu_threads *o, const struct wire_offcpu *w, struct procs *procs)
{
	const struct wire_sample *s = &w->sample;
	const struct offcpu_total t = {.thread = procs_thread(procs, s->pid, s->tid, s->time_ns),
				       .blocked_ns = s->weight - w->runnable_ns,
				       .runnable_ns = w->runnable_ns,
				       .waits = w->waits};

	vec_push(&o->rows, t);
}

void offcpu_threads_put(const struct offcpu_threads *o, struct assembly *a)
{
	for (size_t i = 0; i < o->rows.n; i++) {
		const struct offcpu_total *t = &o->rows.at[i];
		const struct thread_wait row = {.thread = assembly_thread(a, t->thread),
						.blocked_ns = (int64_t)t->blocked_ns,
						.runnable_ns = (int64_t)t->runnable_ns,
						.waits = (int64_t)t->waits};

		vec_push(&a->p->thread_waits, row);
	}
}

void offcpu_threads_window_end(struct offcpu_threads *o)
{
	o->ended = o->rows.n;
}

void offcpu_threads_window_forget(struct offcpu_threads *o, struct remains *r)
{
	o->rows.n -= o->ended;
	memmove(o->rows.at, o->rows.at + o->ended, o->rows.n * sizeof(*o->rows.at));
	o->ended = 0;
	for (size_t i = 0; i < o->rows.n; i++)
		remains_thread(r, o->rows.at[i].thread);
}

void offcpu_threads_window_renumber(struct offcpu_threads *o, const struct remains *r)
{
	for (size_t i = 0; i < o->rows.n; i++)
		o->rows.at[i].thread =
			remains_new(r->threads.at, r->threads.n, o->rows.at[i].thread);
}
