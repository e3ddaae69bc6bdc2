#include "timeline/task_waits.h"

static struct task_off *off_of(struct task_waits *w, uint64_t task)
{
	const uint32_t at = map_number(&w->by_task, task, w->off.n);

	if (at == w->off.n)
		vec_push(&w->off, ((struct task_off){0}));
	return &w->off.at[at];
}

static struct task_waited come(struct task_off *off, const struct wire_event *e)
{
	const struct task_waited w = {off->out_ns ? e->time_ns - off->out_ns : 0,
				      off->ready_ns ? e->time_ns - off->ready_ns : 0, false};

	*off = (struct task_off){.ran = e->serial};
	return w;
}

/* It may have been off the CPU since before the first event. */
static struct task_waited wake(struct task_off *off, const struct wire_event *e)
{
	if (off->ran > e->serial)
		return (struct task_waited){.late = true};
	if (!off->ready_ns)
		off->ready_ns = e->time_ns;
	return (struct task_waited){0};
}

struct task_waited task_waits_take(struct task_waits *w, const struct wire_event *e)
{
	const uint64_t task = task_key(e->pid, e->tid);

	if (e->kind == WIRE_EVENT_OUT)
		*off_of(w, task) = (struct task_off){e->time_ns, e->value1 ? 0 : e->time_ns, 0};
	else if (e->kind == WIRE_EVENT_WAKEUP)
		return wake(off_of(w, task_key((uint32_t)e->value2, (uint32_t)e->value1)), e);
	else if (e->kind == WIRE_EVENT_IN)
		return come(off_of(w, task), e);
	return (struct task_waited){0};
}

void task_waits_release(struct task_waits *w)
{
	map_release(&w->by_task);
	vec_release(&w->off);
}
