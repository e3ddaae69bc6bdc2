#include "timeline/timeline_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "timeline/call_arguments.h"
#include "timeline/task_waits.h"
#include "timeline/triggers.h"
#include "wire_probe.h"

/* Open calls of a stack that the end of one is sought among. The programs keep no more. */
#define OPEN_MOST WIRE_PROBE_DEPTH

struct open_call {
	uint32_t function;
	bool c; /* began as EVENT_C_CALL */
	/* Of an allocator: what it was asked for, and the block that it was given. */
	uint64_t bytes, old;
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
	struct map blocks;	  /* pid, address → place in sizes, + 1; 0: freed */
	VEC(uint64_t) sizes;	  /* of blocks that are live */
	VEC(uint32_t) spare;	  /* places in sizes that nobody uses */
	struct task_waits waits;
	struct call_arguments arguments;
	uint64_t unknown;
};

/* The programs' names of coroutines are addresses; the profile's are small numbers. */
static uint32_t number_coroutine(struct making *m, uint32_t pid)
{
	bool fresh;

	return ++*map_put(&m->coroutines, pid, &fresh);
}

static struct stack *stack_of(struct making *m, const struct wire_event *e)
{
	const uint64_t key = e->strand ? hash_two(e->pid, hash_two(e->strand, 1))
				       : hash_two(task_key(e->pid, e->tid), 0);
	const uint32_t at = map_number(&m->by_stack, key, m->stacks.n);

	if (at == m->stacks.n)
		vec_push(
			&m->stacks,
			((struct stack){.coroutine = e->strand ? number_coroutine(m, e->pid) : 0}));
	return &m->stacks.at[at];
}

static struct timed_event *put_bare(struct making *m, const struct wire_event *e,
				    const struct stack *s, uint32_t kind)
{
	struct timed_event *row = vec_add(&m->p->events);

	row->time_ns = e->time_ns > m->in->start_ns ? e->time_ns - m->in->start_ns : 0;
	row->thread = m->in->thread(m->in->context, e->pid, e->tid);
	row->coroutine = s->coroutine;
	row->event = kind;
	return row;
}

static struct timed_event *put(struct making *m, const struct wire_event *e, const struct stack *s,
			       uint32_t kind)
{
	struct timed_event *row = put_bare(m, e, s, kind);

	row->frame = m->in->functions[e->function].frame;
	return row;
}

/* --- calls -------------------------------------------------------------------------------------
 */

static uint32_t arguments_of(struct making *m, const struct wire_event *e)
{
	const struct signature *args = m->in->functions[e->function].args;
	struct str text = {0};
	uint32_t number;

	if (!args)
		return 0;
	call_arguments_add(&m->arguments, args, e, &text);
	number = intern_add(&m->p->strings, str_text(&text));
	str_release(&text);
	return number;
}

static void begin(struct making *m, const struct wire_event *e, struct stack *s, bool stays_open)
{
	const uint32_t module = m->in->functions[e->function].module;
	const struct open_call *around = s->open.n ? &s->open.at[s->open.n - 1] : NULL;
	const bool c = around && m->in->functions[around->function].module != module;
	struct timed_event *row = put(m, e, s, c ? EVENT_C_CALL : EVENT_CALL);

	row->value1 = (int64_t)e->value1;
	row->value2 = (int64_t)e->value2;
	row->argument = arguments_of(m, e);
	if (stays_open) {
		vec_push(&s->open, ((struct open_call){.function = e->function, .c = c}));
		return;
	}
	row = put(m, e, s, c ? EVENT_C_EXCEPTION : EVENT_EXCEPTION);
	row->value1 = EVENT_UNSEEN;
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

/* A number of the profile that is 0 looks like no result: it needs a text. */
static uint32_t text_of_zero(struct making *m)
{
	return intern_add(&m->p->strings, "0");
}

/* The result as its type says; numbers go without text, but 0. */
static void put_result(struct making *m, const struct wire_event *e, struct timed_event *row)
{
	const struct signature *types = m->in->functions[e->function].types;
	struct str text = {0};

	row->value2 = (int64_t)e->value2;
	if (!types) {
		row->argument = e->value2 ? 0 : text_of_zero(m);
		return;
	}
	signature_value(&types->result, e->value2, &text);
	if (types->result.kind != VALUE_INT || types->result.place || !strcmp(str_text(&text), "0"))
		row->argument = intern_add(&m->p->strings, str_text(&text));
	if (types->result.kind == VALUE_INT && !types->result.place)
		row->value2 = strtoll(str_text(&text), NULL, 10);
	else if (types->result.kind == VALUE_NONE || types->result.place)
		row->value2 = 0;
	str_release(&text);
}

static void end(struct making *m, const struct wire_event *e, struct stack *s)
{
	const bool c = close_call(s, e->function);
	struct timed_event *row = put(m, e, s, c ? EVENT_C_RETURN : EVENT_RETURN);

	row->value1 = (int64_t)e->value1;
	put_result(m, e, row);
}

/* --- blocks of memory --------------------------------------------------------------------------
 */

static uint64_t block_key(const struct wire_event *e, uint64_t address)
{
	return hash_two(e->pid, address);
}

static void know_block(struct making *m, const struct wire_event *e, uint64_t address,
		       uint64_t bytes)
{
	bool fresh;
	uint32_t *at = map_put(&m->blocks, block_key(e, address), &fresh);

	if (fresh || !*at) {
		if (m->spare.n) {
			*at = m->spare.at[--m->spare.n];
		} else {
			vec_push(&m->sizes, 0);
			*at = (uint32_t)m->sizes.n;
		}
	}
	m->sizes.at[*at - 1] = bytes;
}

/* Its size, 0: unknown; it is live no longer. */
static uint64_t forget_block(struct making *m, const struct wire_event *e, uint64_t address)
{
	uint32_t *at = map_get(&m->blocks, block_key(e, address));
	const uint64_t bytes = at && *at ? m->sizes.at[*at - 1] : 0;

	if (at && *at) {
		vec_push(&m->spare, *at);
		*at = 0;
	}
	return bytes;
}

static bool is_allocating(const struct making *m, const struct stack *s)
{
	return s->open.n &&
	       m->in->functions[s->open.at[s->open.n - 1].function].role == TIMELINE_ALLOCATES;
}

static uint64_t size_of(const struct timeline_function *f, const struct wire_event *e)
{
	switch ((enum timeline_size)f->size) {
	case TIMELINE_SIZE_SECOND:
		return e->value2;
	case TIMELINE_SIZE_THIRD:
		return e->more;
	case TIMELINE_SIZE_PRODUCT:
		return e->value1 * e->value2;
	case TIMELINE_SIZE_FIRST:
		break;
	}
	return e->value1;
}

static void put_block(struct making *m, const struct wire_event *e, const struct stack *s,
		      uint32_t kind, uint64_t address, uint64_t bytes)
{
	struct timed_event *row = put(m, e, s, kind);

	row->value1 = (int64_t)address;
	row->value2 = (int64_t)bytes;
}

/* What an allocator asks another one for is part of its own work. */
static void allocate(struct making *m, const struct wire_event *e, struct stack *s)
{
	const struct timeline_function *f = &m->in->functions[e->function];

	vec_push(&s->open, ((struct open_call){
				   .function = e->function,
				   .bytes = size_of(f, e),
				   .old = f->allocates == EVENT_REALLOC ? e->value1 : 0,
			   }));
}

static void allocated(struct making *m, const struct wire_event *e, struct stack *s)
{
	const struct timeline_function *f = &m->in->functions[e->function];
	const uint64_t address = f->returns_status ? e->more : e->value2;
	struct open_call call = {0};

	while (is_allocating(m, s)) {
		call = s->open.at[--s->open.n];
		if (call.function == e->function)
			break;
	}
	if (is_allocating(m, s))
		return;
	if (call.old && (address || !call.bytes))
		put_block(m, e, s, EVENT_REALLOC_FREE, call.old, forget_block(m, e, call.old));
	put_block(m, e, s, f->allocates, address, call.bytes);
	if (address)
		know_block(m, e, address, call.bytes);
}

static void free_block(struct making *m, const struct wire_event *e, struct stack *s)
{
	if (e->value1 && !is_allocating(m, s))
		put_block(m, e, s, EVENT_FREE, e->value1, forget_block(m, e, e->value1));
}

/* --- exceptions --------------------------------------------------------------------------------
 */

/* The exception that the thread has thrown and not yet caught. */
static uint64_t *thrown_by(struct making *m, const struct wire_event *e)
{
	const uint32_t at = map_number(&m->thrown, task_key(e->pid, e->tid), m->exceptions.n);

	if (at == m->exceptions.n)
		vec_push(&m->exceptions, 0);
	return &m->exceptions.at[at];
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

/* CPython says the type of each exception that a statement, or its C code, raises. */
static void raise(struct making *m, const struct wire_event *e, struct stack *s)
{
	struct str text = {0};
	struct timed_event *row;
	uint32_t type;

	call_arguments_member(&m->arguments, e, 0, &text);
	type = text.n ? intern_add(&m->p->strings, text.s) : 0;
	row = put(m, e, s, EVENT_EXCEPTION);
	row->argument = type;
	row->value1 = EVENT_THROWN;
	row->value2 = (int64_t)e->value2;
	str_release(&text);
}

static void hit(struct making *m, const struct wire_event *e, struct stack *s)
{
	const uint8_t role = m->in->functions[e->function].role;
	const bool throws = role == TIMELINE_THROWS;
	struct timed_event *row;

	if (role == TIMELINE_FREES) {
		free_block(m, e, s);
		return;
	}
	if (role == TIMELINE_RAISES) {
		raise(m, e, s);
		return;
	}
	/* One function that throws calls another one. */
	if (throws && *thrown_by(m, e) == e->value1)
		return;
	row = put(m, e, s, EVENT_EXCEPTION);

	row->value1 = throws ? EVENT_THROWN : EVENT_CAUGHT;
	row->value2 = (int64_t)e->value1;
	*thrown_by(m, e) = throws ? e->value1 : 0;
}

/* --- switches ----------------------------------------------------------------------------------
 */

static const char *const states[] = {"D", "T", "t", "X", "Z", "P", "I"};

/* As ps(1) shows it: S of 1, D of 2 … */
static const char *state_name(uint64_t state)
{
	if (!state)
		return "R";
	if (state & 1)
		return "S";
	for (size_t i = 0; i < sizeof(states) / sizeof(*states); i++)
		if (state >> (i + 1) & 1)
			return states[i];
	return "S";
}

/* "futex", "ready to run", "" where it is not known. */
static uint32_t reason_of(struct making *m, const struct wire_event *e)
{
	if (!e->value1)
		return intern_add(&m->p->strings, "ready to run");
	return intern_add(&m->p->strings,
			  (int64_t)e->value2 >= 0 ? m->in->call_name((uint32_t)e->value2) : "");
}

static void leave(struct making *m, const struct wire_event *e, const struct stack *s)
{
	struct timed_event *row = put_bare(m, e, s, EVENT_SWITCH_OUT);

	row->argument = reason_of(m, e);
	row->value1 = state_name(e->value1)[0];
}

static void come(struct making *m, const struct wire_event *e, const struct stack *s,
		 const struct task_waited *waited)
{
	struct timed_event *row = put_bare(m, e, s, EVENT_SWITCH_IN);

	row->value1 = (int64_t)waited->off_ns;
	row->value2 = waited->off_ns ? (int64_t)waited->ready_ns : 0;
}

/* Wakers outside the target have no row. */
static void wake(struct making *m, const struct wire_event *e, const struct stack *s)
{
	struct timed_event *row;

	if (e->flags & WIRE_EVENT_FOREIGN)
		return;
	row = put_bare(m, e, s, EVENT_WAKEUP);
	row->value1 = (int64_t)e->value1;
	row->value2 = (int64_t)e->value2;
}

/* --- what the recording itself tells -----------------------------------------------------------
 */

static void trigger(struct making *m, const struct wire_event *e, const struct stack *s)
{
	const struct timeline_options *o = m->in->o;
	struct timed_event *row = put_bare(m, e, s, EVENT_TRIGGER);

	if (e->function < m->in->n_functions)
		row->frame = m->in->functions[e->function].frame;
	row->argument = intern_add(&m->p->strings,
				   e->more < o->n_triggers ? o->triggers[e->more].text : "signal");
	row->value1 = (int64_t)e->value1;
	row->value2 = (int64_t)e->value2;
}

/* What is open before a gap may have ended in it. */
static void put_gap(struct making *m, const struct wire_event *e, const struct stack *s,
		    enum event_loss loss)
{
	struct timed_event *row = put_bare(m, e, s, EVENT_LOST);

	row->value1 = (int64_t)e->value1;
	row->value2 = loss;
	vec_each (each, &m->stacks)
		each->open.n = 0;
}

bool timeline_rows_need_name(const struct wire_event *e)
{
	return e->kind < WIRE_EVENT_OUT;
}

static void take(struct making *m, const struct wire_event *e)
{
	struct stack *s = stack_of(m, e);
	const struct task_waited waited = task_waits_take(&m->waits, e);
	const bool allocates = timeline_rows_need_name(e) &&
			       m->in->functions[e->function].role == TIMELINE_ALLOCATES;

	switch (e->kind) {
	case WIRE_EVENT_ENTRY:
	case WIRE_EVENT_UNSEEN:
		if (!allocates)
			begin(m, e, s, e->kind == WIRE_EVENT_ENTRY);
		else if (e->kind == WIRE_EVENT_ENTRY)
			allocate(m, e, s);
		break;
	case WIRE_EVENT_EXIT:
	case WIRE_EVENT_BEFORE:
		if (allocates)
			allocated(m, e, s);
		else
			end(m, e, s);
		break;
	case WIRE_EVENT_DROPPED:
		drop(m, e, s);
		break;
	case WIRE_EVENT_HIT:
		hit(m, e, s);
		break;
	case WIRE_EVENT_OUT:
		leave(m, e, s);
		break;
	case WIRE_EVENT_IN:
		come(m, e, s, &waited);
		break;
	case WIRE_EVENT_WAKEUP:
		wake(m, e, s);
		break;
	case WIRE_EVENT_TEXT:
	case WIRE_EVENT_MORE:
	case WIRE_EVENT_MEMBER:
		call_arguments_take(&m->arguments, e);
		break;
	case TRIGGERS_FIRED:
		trigger(m, e, s);
		break;
	case TRIGGERS_GAP:
		put_gap(m, e, s, EVENT_LOST_BETWEEN);
		break;
	}
}

uint64_t timeline_rows(const struct timeline_input *in, const recorded_events *events,
		       struct profile *p)
{
	struct making m = {.in = in, .p = p};

	if (in->older && events->n) {
		struct wire_event first = events->at[0];

		first.value1 = in->older;
		put_gap(&m, &first, stack_of(&m, &first), EVENT_LOST_OLDER);
	}
	vec_each (e, events) {
		if (!timeline_rows_need_name(e) ||
		    (e->function < in->n_functions && in->functions[e->function].frame))
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
	map_release(&m.blocks);
	vec_release(&m.sizes);
	vec_release(&m.spare);
	call_arguments_release(&m.arguments);
	task_waits_release(&m.waits);
	return m.unknown;
}
