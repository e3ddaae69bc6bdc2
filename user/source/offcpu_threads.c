#include "source/offcpu_threads.h"

#include <string.h>

#include "model/waits.h"

void offcpu_threads_release(struct offcpu_threads *o)
{
	vec_release(&o->rows);
}

void offcpu_threads_take(struct offcpu_threads *o, const struct wire_off_thread *w,
			 struct procs *procs)
{
	const struct offcpu_total t = {.thread = procs_thread(procs, w->pid, w->tid, w->time_ns),
				       .life_ns = w->life_ns,
				       .blocked_ns = w->blocked_ns,
				       .runnable_ns = w->runnable_ns,
				       .waits = w->waits,
				       .voluntary = w->voluntary,
				       .involuntary = w->involuntary};

	vec_push(&o->rows, t);
}

void offcpu_threads_put(const struct offcpu_threads *o, struct assembly *a)
{
	for (size_t i = 0; i < o->rows.n; i++) {
		const struct offcpu_total *t = &o->rows.at[i];
		const int64_t off_ns = (int64_t)(t->blocked_ns + t->runnable_ns);
		const int64_t on_ns = (int64_t)t->life_ns - off_ns;
		const struct thread_wait row = {.thread = assembly_thread(a, t->thread),
						.on_ns = on_ns > 0 ? on_ns : 0,
						.blocked_ns = (int64_t)t->blocked_ns,
						.runnable_ns = (int64_t)t->runnable_ns,
						.waits = t->waits,
						.voluntary = t->voluntary,
						.involuntary = t->involuntary};

		vec_push(&a->p->thread_waits, row);
	}
}

void offcpu_threads_window_end(struct offcpu_threads *o)
{
	o->ended = o->rows.n;
}

void offcpu_threads_window_forget(struct offcpu_threads *o, struct survivors *r)
{
	vec_drop_first(&o->rows, o->ended);
	o->ended = 0;
	for (size_t i = 0; i < o->rows.n; i++)
		survivors_thread(r, o->rows.at[i].thread);
}

void offcpu_threads_window_renumber(struct offcpu_threads *o, const struct survivors *r)
{
	for (size_t i = 0; i < o->rows.n; i++)
		o->rows.at[i].thread = survivors_new_thread(r, o->rows.at[i].thread);
}
