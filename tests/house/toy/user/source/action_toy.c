/*
 * action_toy: calls of functions as rows of toys and toy_starts, for a test of the house. A call
 * has the value of its second argument.
 * --toy-down NAME asks for the calls of cl_down, under that name.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "model/toy.h"
#include "probe/engine.h"
#include "source/action.h"
#include "wire_toy.h"

struct call {
	uint64_t time_ns;
	uint32_t thread; /* of procs */
	uint32_t value;
};

struct called {
	struct session *session;
	const char *name;
	VEC(struct call) calls;	   /* of this window */
	size_t ended;		   /* those of the window that is being written */
	uint64_t returned, before; /* at its end, and at that of the window before */
	struct map_entries values; /* second argument → calls, of that window */
};

static void *parse(const char *argument, void *before)
{
	free(before);
	return mem_strdup(argument);
}

static void *new (const void *state)
{
	const struct engine *e = state;
	const char *own = e->in.o->own[WIRE_ACTION_toy];
	struct called *c = mem_zalloc(1, sizeof(*c));

	c->name = own ? own : "called";
	return c;
}

static void called_free(void *state)
{
	struct called *c = state;

	if (c) {
		vec_release(&c->calls);
		vec_release(&c->values.words);
	}
	free(c);
}

static void begin(void *state, const struct source_services *services)
{
	struct called *c = state;

	c->session = services->session;
}

/* Two values that no call has, so that it shows that they were written. */
static void start(void *state)
{
	const uint32_t keys[] = {1000, 1001}, calls[] = {0, 0};
	struct called *c = state;

	session_map_set_entries(c->session, "probe_toy_values", keys, calls, 2);
}

static void take(void *state, const void *record, struct stackbook *stacks, struct procs *procs)
{
	const struct wire_toy *r = record;
	struct called *c = state;

	(void)stacks;
	vec_push(&c->calls,
		 ((struct call){r->time_ns, procs_thread(procs, r->pid, r->tid), r->value}));
}

static struct toy of_values(const struct called *c, struct profile *p, const struct toy *like)
{
	struct toy toy = {.name = intern_add(&p->strings, "values"),
			  .thread = like->thread,
			  .node = like->node,
			  .frame = like->frame,
			  .count = (int64_t)c->values.n};

	for (size_t i = 0; i < c->values.n; i++) {
		const uint32_t *value = map_entry_key(&c->values, i);
		const uint32_t *calls = map_entry_value(&c->values, i);

		toy.most = *value > toy.most ? *value : toy.most;
		toy.total += (int64_t)*value * *calls;
	}
	return toy;
}

static void finish(const void *state, struct assembly *a)
{
	const struct called *c = state;
	struct profile *p = a->p;
	struct toy toy = {.name = intern_add(&p->strings, c->name)};

	if (!c->ended)
		return;
	toy.node = assembly_mark(a, 0, "[called]");
	toy.frame = p->nodes.at[toy.node].frame;
	toy.thread = assembly_thread(a, c->calls.at[0].thread);
	for (size_t i = 0; i < c->ended; i++) {
		const struct call *call = &c->calls.at[i];
		const struct toy_start row = {.time_ns = assembly_time(a, call->time_ns),
					      .thread = assembly_thread(a, call->thread),
					      .node = toy.node,
					      .toy = (uint32_t)p->toys.n};

		toy.latest = call->value;
		toy.most = toy.latest > toy.most ? toy.latest : toy.most;
		toy.total += toy.latest;
		toy.count++;
		toy.last_unix_ns = p->started_unix_ns + (int64_t)row.time_ns;
		toy.first_unix_ns = i ? toy.first_unix_ns : toy.last_unix_ns;
		vec_push(&p->toy_starts, row);
	}
	toy.mean = (double)toy.total / (double)toy.count;
	vec_push(&p->toys, toy);
	toy = (struct toy){.name = intern_add(&p->strings, "returned"),
			   .thread = toy.thread,
			   .node = toy.node,
			   .frame = toy.frame,
			   .count = (int64_t)(c->returned - c->before)};
	vec_push(&p->toys, toy);
	vec_push(&p->toys, of_values(c, p, &toy));
}

static void window_end(void *state)
{
	struct called *c = state;

	c->ended = c->calls.n;
	c->returned = session_map_value(c->session, "probe_toy_returned", 0);
	/* A window without calls has no rows: they stay for the next. */
	if (c->ended)
		session_map_entries(c->session, "probe_toy_values", true, &c->values);
}

static void window_forget(void *state, struct survivors *survivors)
{
	struct called *c = state;

	c->calls.n -= c->ended;
	for (size_t i = 0; i < c->calls.n; i++) {
		c->calls.at[i] = c->calls.at[i + c->ended];
		survivors_thread(survivors, c->calls.at[i].thread);
	}
	c->ended = 0;
	c->before = c->returned;
	c->values.words.n = c->values.n = 0;
}

static void window_renumber(void *state, const struct survivors *survivors)
{
	struct called *c = state;

	for (size_t i = 0; i < c->calls.n; i++)
		c->calls.at[i].thread = survivors_new_thread(survivors, c->calls.at[i].thread);
}

static const char *const implies[] = {"cl_down", "no_such_function", NULL};
static const struct source_option options[] = {{.name = "toy-down",
						.argument = "NAME",
						.does = "calls of cl_down, for a test",
						.parse = parse},
					       {0}};

const struct action toy_action = {
	.name = "toy",
	.option = "probe-toy",
	.does = "calls and their second argument, for a test",
	.arguments = 1u << 1,
	.every_end = true,
	.implies = implies,
	.source = {.options = options,
		   .new = new,
		   .free = called_free,
		   .begin = begin,
		   .start = start,
		   .take = take,
		   .finish = finish,
		   .window_end = window_end,
		   .window_forget = window_forget,
		   .window_renumber = window_renumber},
};
