#include "timeline/timeline_rows.h"

#include "base/hash.h"
#include "wire_probe.h"

/* Open calls of a stack that the end of one is sought among. The programs keep no more. */
#define OPEN_MOST WIRE_PROBE_DEPTH

struct open_call {
	uint32_t function;
	bool c; /* began as EVENT_C_CALL */
};

/* A stack of execution: a thread's own, or a coroutine's. */
struct stack {
	VEC(struct open_call) open;
	uint32_t coroutine;
};

struct making {
	const struct timeline_input *in;
	struct profile *p;
	struct map by_stack, coroutines; /* → stacks; of a process → how many so far */
	VEC(struct stack) stacks;
	struct map thrown;	  /* pid, tid → place in exceptions */
	VEC(uint64_t) exceptions; /* under way; 0: none is */
	uint64_t unknown;
};

static uint64_t task_key(const struct wire_event *e)
{
	return (uint64_t)e->pid << 32 | e->tid;
}

static uint32_t number_coroutine(struct making *m, uint32_t pid)
{
	bool fresh;
	uint32_t *n = map_put(&m->coroutines, pid, &fresh);

	if (fresh)
		*n = 0;
	return ++*n;
}

/* The programs' names of coroutines are addresses; the profile's are small numbers. */
static struct stack *stack_of(struct making *m, const struct wire_event *e)
{
	const uint64_t key =
		e->strand ? hash_two(e->pid, hash_two(e->strand, 1)) : hash_two(task_key(e), 0);
	bool fresh;
	uint32_t *at = map_put(&m->by_stack, key, &fresh);

	if (fresh) {
		*at = (uint32_t)m->stacks.n;
		vec_push(&m->stacks, ((struct stack){0}));
		if (e->strand)
			m->stacks.at[*at].coroutine = number_coroutine(m, e->pid);
	}
	return &m->stacks.at[*at];
}

static struct timed_event *put(struct making *m, const struct wire_event *e, const struct stack *s,
			       uint32_t kind)
{
	struct timed_event *row = vec_add(&m->p->events);

	row->time_ns = e->time_ns > m->in->start_ns ? e->time_ns - m->in->start_ns : 0;
	row->thread = m->in->thread(m->in->context, e->pid, e->tid);
	row->coroutine = s->coroutine;
	row->frame = m->in->functions[e->function].frame;
	row->event = kind;
	return row;
}

/* --- calls -------------------------------------------------------------------------------------
 */

static void begin(struct making *m, const struct wire_event *e, struct stack *s, bool stays_open)
{
	const uint32_t module = m->in->functions[e->function].module;
	const struct open_call *around = s->open.n ? &s->open.at[s->open.n - 1] : NULL;
	const bool c = around && m->in->functions[around->function].module != module;
	struct timed_event *row = put(m, e, s, c ? EVENT_C_CALL : EVENT_CALL);

	row->value1 = (int64_t)e->value1;
	row->value2 = (int64_t)e->value2;
	if (stays_open) {
		vec_push(&s->open, ((struct open_call){e->function, c}));
		return;
	}
	row = put(m, e, s, c ? EVENT_C_EXCEPTION : EVENT_EXCEPTION);
	row->value1 = EVENT_JUMPED;
}

/* Takes the innermost open call of @function, with those within it, from the stack: whether it
 * began as EVENT_C_CALL. */
static bool close_call(struct stack *s, uint32_t function)
{
	for (size_t i = s->open.n; i > 0 && s->open.n - i < OPEN_MOST; i--)
		if (s->open.at[i - 1].function == function) {
			s->open.n = i - 1;
			return s->open.at[i - 1].c;
		}
	return false;
}

static void end(struct making *m, const struct wire_event *e, struct stack *s)
{
	const bool c = close_call(s, e->function);
	struct timed_event *row = put(m, e, s, c ? EVENT_C_RETURN : EVENT_RETURN);

	row->value1 = (int64_t)e->value1;
	row->value2 = (int64_t)e->value2;
}

/* --- exceptions --------------------------------------------------------------------------------
 */

/* The exception that the thread has thrown and not yet caught. */
static uint64_t *thrown_by(struct making *m, const struct wire_event *e)
{
	bool fresh;
	uint32_t *at = map_put(&m->thrown, task_key(e), &fresh);

	if (fresh) {
		*at = (uint32_t)m->exceptions.n;
		vec_push(&m->exceptions, 0);
	}
	return &m->exceptions.at[*at];
}

/* A call that nobody saw return: an exception has left it if one is under way. */
static void drop(struct making *m, const struct wire_event *e, struct stack *s)
{
	const bool c = close_call(s, e->function);
	const uint64_t exception = *thrown_by(m, e);
	struct timed_event *row = put(m, e, s, c ? EVENT_C_EXCEPTION : EVENT_EXCEPTION);

	row->value1 = exception ? EVENT_PASSED : EVENT_JUMPED;
	row->value2 = (int64_t)exception;
}

static void hit(struct making *m, const struct wire_event *e, struct stack *s)
{
	const bool throws = m->in->functions[e->function].role == TIMELINE_THROWS;
	struct timed_event *row = put(m, e, s, EVENT_EXCEPTION);

	row->value1 = throws ? EVENT_THROWN : EVENT_CAUGHT;
	row->value2 = (int64_t)e->value1;
	*thrown_by(m, e) = throws ? e->value1 : 0;
}

static void take(struct making *m, const struct wire_event *e)
{
	struct stack *s = stack_of(m, e);

	switch (e->kind) {
	case WIRE_EVENT_ENTRY:
	case WIRE_EVENT_UNSEEN:
		begin(m, e, s, e->kind == WIRE_EVENT_ENTRY);
		break;
	case WIRE_EVENT_EXIT:
	case WIRE_EVENT_BEFORE:
		end(m, e, s);
		break;
	case WIRE_EVENT_DROPPED:
		drop(m, e, s);
		break;
	case WIRE_EVENT_HIT:
		hit(m, e, s);
		break;
	}
}

uint64_t timeline_rows(const struct timeline_input *in, const recorded_events *events,
		       struct profile *p)
{
	struct making m = {.in = in, .p = p};

	vec_each (e, events) {
		if (e->function < in->n_functions && in->functions[e->function].frame)
			take(&m, e);
		else
			m.unknown++;
	}
	vec_each (s, &m.stacks)
		vec_release(&s->open);
	vec_release(&m.stacks);
	vec_release(&m.exceptions);
	map_release(&m.by_stack);
	map_release(&m.coroutines);
	map_release(&m.thrown);
	return m.unknown;
}
