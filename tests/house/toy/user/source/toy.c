/*
 * toy: the target's starts of programs as rows of toys and toy_starts, for a test of the house. The
 * nth start since the beginning has the value n; the level of the nth window is 10 n.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "model/toy.h"
#include "source/source.h"
#include "wire.h"

struct start {
	uint64_t time_ns;
	uint32_t thread; /* of procs */
};

struct toys {
	char name[32];
	VEC(struct start) starts; /* of this window */
	size_t ended;		  /* those of the window that is being written */
	int64_t before;		  /* starts of earlier windows */
	int64_t window;		  /* its number, from 1 */
};

static const char *const programs[] = {"toy_exec", NULL};

static void *parse(const char *argument, void *before)
{
	free(before);
	return mem_strdup(argument);
}

static void *new (const void *options)
{
	struct toys *t = mem_zalloc(1, sizeof(*t));

	snprintf(t->name, sizeof(t->name), "%s", (const char *)options);
	t->window = 1;
	return t;
}

static void toys_free(void *state)
{
	struct toys *t = state;

	if (t)
		vec_release(&t->starts);
	free(t);
}

static void take(void *state, const void *record, struct stackbook *stacks, struct procs *procs)
{
	const struct wire_head *head = record;
	const uint32_t pid = head->event_or_pid;
	struct toys *t = state;

	(void)stacks;
	vec_push(&t->starts, ((struct start){head->time_ns, procs_thread(procs, pid, pid)}));
}

static void finish(const void *state, struct assembly *a)
{
	const struct toys *t = state;
	struct profile *p = a->p;
	struct toy toy = {.name = intern_add(&p->strings, t->name), .level = 10. * t->window};
	char mark[64];

	if (!t->starts.n)
		return;
	snprintf(mark, sizeof(mark), "[toy %s]", t->name);
	toy.node = assembly_frame(a, 0, KIND_TOY, mark);
	toy.frame = p->nodes.at[toy.node].frame;
	toy.thread = assembly_thread(a, t->starts.at[0].thread);
	for (size_t i = 0; i < t->starts.n; i++) {
		const struct start *s = &t->starts.at[i];
		struct toy_start row = {.time_ns = assembly_time(a, s->time_ns),
					.thread = assembly_thread(a, s->thread),
					.node = toy.node,
					.toy = (uint32_t)p->toys.n};

		toy.latest = toy.most = t->before + (int64_t)i + 1;
		toy.total += toy.latest;
		toy.count++;
		toy.last_unix_ns = p->started_unix_ns + (int64_t)row.time_ns;
		toy.first_unix_ns = i ? toy.first_unix_ns : toy.last_unix_ns;
		vec_push(&p->toy_starts, row);
	}
	toy.mean = (double)toy.total / (double)toy.count;
	vec_push(&p->toys, toy);
}

static void window_end(void *state)
{
	struct toys *t = state;

	t->ended = t->starts.n;
}

static void window_forget(void *state, struct survivors *remains)
{
	struct toys *t = state;

	t->before += (int64_t)t->ended;
	t->starts.n -= t->ended;
	for (size_t i = 0; i < t->starts.n; i++) {
		t->starts.at[i] = t->starts.at[i + t->ended];
		survivors_thread(remains, t->starts.at[i].thread);
	}
	t->ended = 0;
	t->window++;
}

static void window_renumber(void *state, const struct survivors *remains)
{
	struct toys *t = state;

	for (size_t i = 0; i < t->starts.n; i++)
		t->starts.at[i].thread = survivors_new_thread(remains, t->starts.at[i].thread);
}

static const struct source_option options[] = {
	{.name = "toy",
	 .argument = "NAME",
	 .does = "count the starts of programs, for a test",
	 .parse = parse},
	{0},
};

const struct source toy_source = {
	.name = "toy",
	.options = options,
	.programs = programs,
	.new = new,
	.free = toys_free,
	.finish = finish,
	.take = take,
	.window_end = window_end,
	.window_forget = window_forget,
	.window_renumber = window_renumber,
};
