/*
 * oncpu: samples of perf events, with their stacks.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/mem.h"
#include "base/units.h"
#include "model/meta.h"
#include "source/source.h"

struct row {
	uint64_t time_ns, weight;
	uint32_t thread;       /* of procs */
	uint32_t user, kernel; /* stacks, or NO_STACK */
	uint32_t event;
	uint32_t zone; /* node of the kernel's, 0 none */
};

/* A sample's share of memory at most: its row here, its columns in the profile with all metrics,
 * both with room to grow. */
#define SAMPLE_BYTES 256
/* The part of memory that samples may take. */
#define SHARE 4

/* How many samples have stacks that are not whole, or not the program's own doing. */
struct tally {
	int64_t ends[WIRE_EVENTS][ASSEMBLY_ENDS];
	int64_t guessed[WIRE_EVENTS], probed[WIRE_EVENTS];
};

struct oncpu {
	VEC(struct row) rows;
	size_t ended;		   /* of them, are of the window that is being written */
	size_t written;		   /* left with earlier windows */
	size_t most;		   /* rows in all: a profile is held in memory when it is read */
	int64_t lost[WIRE_EVENTS]; /* came when there were so many */
	struct tally before;	   /* of earlier windows */
	struct tally *now;	   /* of the profile made last, perhaps by a child: shared */
};

static void *oncpu_new(const void *options)
{
	struct oncpu *o = mem_zalloc(1, sizeof(*o));

	(void)options;
	o->most = mem_most() / SHARE / SAMPLE_BYTES;
	o->now = mem_shared(1, sizeof(*o->now));
	return o;
}

static void oncpu_free(void *state)
{
	struct oncpu *o = state;

	if (!o)
		return;
	vec_release(&o->rows);
	munmap(o->now, sizeof(*o->now));
	free(o);
}

static void add(struct oncpu *o, const struct wire_sample *w, uint32_t user,
		struct stackbook *stacks, struct procs *procs)
{
	struct row row = {.time_ns = w->time_ns,
			  .weight = w->weight,
			  .event = w->event & ((1u << WIRE_ZONE_SHIFT) - 1),
			  .zone = w->event >> WIRE_ZONE_SHIFT,
			  .thread = procs_thread(procs, w->pid, w->tid, w->time_ns),
			  .user = user,
			  .kernel = stackbook_find(stacks, w->kernel_hash)};

	if (o->written + o->rows.n < o->most)
		vec_push(&o->rows, row);
	else
		o->lost[row.event % WIRE_EVENTS]++;
}

static void oncpu_take(void *state, const void *record, struct stackbook *stacks,
		       struct procs *procs)
{
	const struct wire_sample *w = record;

	add(state, w, stackbook_find(stacks, w->user_hash), stacks, procs);
}

static void oncpu_take_slice(void *state, const struct wire_slice *slice, uint32_t stack,
			     struct stackbook *stacks, struct procs *procs)
{
	add(state, &slice->sample, stack, stacks, procs);
}

static void oncpu_progress(const void *state, struct str *out)
{
	const struct oncpu *o = state;
	char n[UNITS_BUF];

	str_addf(out, "%s samples  ", units_count(n, sizeof(n), (int64_t)(o->written + o->rows.n)));
}

static void add_rows(const struct oncpu *o, struct assembly *a)
{
	size_t metrics = a->p->metrics.n;
	_free_ int64_t *values = mem_zalloc(metrics, sizeof(*values));

	for (size_t i = 0; i < o->rows.n; i++) {
		const struct row *row = &o->rows.at[i];

		if (row->event >= metrics)
			continue;
		values[row->event] = (int64_t)row->weight;
		profile_sample(a->p, assembly_time(a, row->time_ns),
			       assembly_thread(a, row->thread),
			       assembly_node(a, row->user, row->kernel), values);
		/* The zones' own source makes rows of nodes, once it has them. */
		profile_sample_zone(a->p, a->p->samples.time_ns.n - 1, row->zone);
		values[row->event] = 0;
	}
}

static void add_tallies(const struct oncpu *o, const struct assembly *a)
{
	struct tally *t = o->now;

	memset(t, 0, sizeof(*t));
	for (size_t i = 0; i < o->rows.n; i++) {
		const struct row *row = &o->rows.at[i];
		const uint32_t event = row->event % WIRE_EVENTS;

		if (row->user == NO_STACK)
			continue;
		t->probed[event] += assembly_is_probe(a, row->user, row->kernel);
		t->ends[event][a->stacks->stacks.at[row->user].end % ASSEMBLY_ENDS]++;
		t->guessed[event] += a->stacks->stacks.at[row->user].guessed;
	}
}

static void add_notes(const struct oncpu *o, struct assembly *a, uint32_t metric)
{
	const uint32_t event = metric % WIRE_EVENTS;
	const int64_t guessed = o->before.guessed[event] + o->now->guessed[event];
	const int64_t probed = o->before.probed[event] + o->now->probed[event];

	if (guessed)
		profile_ledger(a->p, metric, LEDGER_NOTE,
			       "some frames guessed: code without unwind rules", guessed);
	if (probed)
		profile_ledger(a->p, metric, LEDGER_NOTE, "amid a probe of a zone: [eprof probe]",
			       probed);
	for (uint8_t e = 0; e < ASSEMBLY_ENDS; e++) {
		const int64_t n = o->before.ends[event][e] + o->now->ends[event][e];

		if (n && assembly_end_note(e))
			profile_ledger(a->p, metric, LEDGER_NOTE, assembly_end_note(e), n);
	}
}

static void oncpu_finish(const void *state, struct assembly *a)
{
	const struct oncpu *o = state;

	add_rows(o, a);
	add_tallies(o, a);
	for (uint32_t metric = 0; metric < a->p->metrics.n; metric++) {
		add_notes(o, a, metric);
		profile_ledger_lose(a->p, metric, "no memory for more samples",
				    o->lost[metric % WIRE_EVENTS]);
	}
}

/* --- windows -------------------------------------------------------------------------------- */

static void oncpu_window_end(void *state)
{
	struct oncpu *o = state;

	o->ended = o->rows.n;
}

static void add_tally(struct tally *to, const struct tally *from)
{
	for (size_t i = 0; i < WIRE_EVENTS; i++) {
		to->guessed[i] += from->guessed[i];
		to->probed[i] += from->probed[i];
		for (size_t e = 0; e < ASSEMBLY_ENDS; e++)
			to->ends[i][e] += from->ends[i][e];
	}
}

static void oncpu_window_forget(void *state, struct remains *r)
{
	struct oncpu *o = state;

	add_tally(&o->before, o->now);
	o->written += o->ended;
	o->rows.n -= o->ended;
	memmove(o->rows.at, o->rows.at + o->ended, o->rows.n * sizeof(*o->rows.at));
	o->ended = 0;
	for (size_t i = 0; i < o->rows.n; i++) {
		remains_stack(r, o->rows.at[i].user);
		remains_stack(r, o->rows.at[i].kernel);
		remains_thread(r, o->rows.at[i].thread);
	}
}

static void oncpu_window_renumber(void *state, const struct remains *r)
{
	struct oncpu *o = state;

	for (size_t i = 0; i < o->rows.n; i++) {
		struct row *row = &o->rows.at[i];

		row->user = remains_new(r->stacks.at, r->stacks.n, row->user);
		row->kernel = remains_new(r->stacks.at, r->stacks.n, row->kernel);
		row->thread = remains_new(r->threads.at, r->threads.n, row->thread);
	}
}

static void oncpu_total(const void *state, const struct profile *p, struct str *out)
{
	const char *events = profile_run(p, RUN_EVENTS);
	char n[UNITS_BUF];

	(void)state;
	str_addf(out, "%s samples of %s", units_count(n, sizeof(n), (int64_t)p->samples.time_ns.n),
		 events ? events : "");
}

const struct source oncpu_source = {
	.name = "oncpu",
	.new = oncpu_new,
	.free = oncpu_free,
	.finish = oncpu_finish,
	.take = oncpu_take,
	.take_slice = oncpu_take_slice,
	.progress = oncpu_progress,
	.window_end = oncpu_window_end,
	.window_forget = oncpu_window_forget,
	.window_renumber = oncpu_window_renumber,
	.total = oncpu_total,
};
