/*
 * oncpu: samples of perf events, with their stacks.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/mem.h"
#include "base/units.h"
#include "model/meta.h"
#include "source/counted.h"
#include "source/oncpu.h"
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
	struct oncpu_options in;
	struct session *session;
	uint32_t first_metric;	       /* of the profile under way: that of the first event */
	uint64_t dropped[WIRE_EVENTS]; /* see struct oncpu_event */
};

static void *oncpu_new(const void *options)
{
	struct oncpu *o = mem_zalloc(1, sizeof(*o));

	o->in = *(const struct oncpu_options *)options;
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

static void oncpu_take_slice(void *state, const struct source_slice *slice,
			     struct stackbook *stacks, struct procs *procs)
{
	struct oncpu *o = state;

	o->dropped[slice->wire->sample.event % WIRE_EVENTS] += slice->dropped;
	add(o, &slice->wire->sample, slice->stack, stacks, procs);
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
		const uint32_t metric = o->first_metric + row->event;

		if (row->event >= o->in.n_events)
			continue;
		values[metric] = (int64_t)row->weight;
		profile_sample(a->p, assembly_time(a, row->time_ns),
			       assembly_thread(a, row->thread),
			       assembly_node(a, row->user, row->kernel), values);
		/* The zones' own source makes rows of nodes, once it has them. */
		profile_sample_zone(a->p, a->p->samples.time_ns.n - 1, row->zone);
		values[metric] = 0;
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

static void add_notes(const struct oncpu *o, struct assembly *a, size_t event)
{
	const uint32_t metric = o->first_metric + (uint32_t)event;
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
	for (size_t i = 0; i < o->in.n_events; i++) {
		add_notes(o, a, i);
		profile_ledger_lose(a->p, o->first_metric + (uint32_t)i,
				    "no memory for more samples", o->lost[i]);
	}
}

/* --- metrics -------------------------------------------------------------------------------- */

static void oncpu_begin(void *state, const struct source_services *services)
{
	struct oncpu *o = state;

	o->session = services->session;
}

static void oncpu_metrics(void *state, struct profile *p)
{
	struct oncpu *o = state;

	o->first_metric = p->metrics.n;
	for (size_t i = 0; i < o->in.n_events; i++) {
		const struct event *e = &o->in.events[i];
		const uint32_t metric = profile_metric(p, e->name, e->clock ? "ns" : "events",
						       e->clock ? METRIC_SUM : METRIC_COUNT);

		if (e->clock)
			profile_metric_base(p, metric, METRIC_ON_CPU);
	}
}

static uint64_t oncpu_lost(const void *state)
{
	const struct oncpu *o = state;
	uint64_t counters[WIRE_COUNTERS], n = 0;

	for (size_t i = 0; i < o->in.n_events; i++)
		if (!session_counters(o->session, i, counters))
			n += counters[WIRE_TAKEN] - counters[WIRE_KEPT];
	return n;
}

static struct oncpu_event event_of(const struct oncpu *o, size_t i)
{
	return (struct oncpu_event){.is = &o->in.events[i],
				    .number = i,
				    .metric = o->first_metric + (uint32_t)i,
				    .hz = o->in.hz,
				    .dropped = o->dropped[i]};
}

static void oncpu_account(const void *state, struct profile *p, const struct ledger_input *in)
{
	const struct oncpu *o = state;

	for (size_t i = 0; i < o->in.n_events; i++) {
		const struct oncpu_event e = event_of(o, i);

		oncpu_ledger(p, in, &e);
	}
}

static void oncpu_reconcile(const void *state, struct profile *p, const struct ledger_input *in)
{
	const struct oncpu *o = state;

	for (size_t i = 0; i < o->in.n_events; i++) {
		const struct oncpu_event e = event_of(o, i);

		counted_totals(p, in, &e);
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
	.metrics = oncpu_metrics,
	.lost = oncpu_lost,
	.begin = oncpu_begin,
	.account = oncpu_account,
	.reconcile = oncpu_reconcile,
	.take = oncpu_take,
	.take_slice = oncpu_take_slice,
	.progress = oncpu_progress,
	.window_end = oncpu_window_end,
	.window_forget = oncpu_window_forget,
	.window_renumber = oncpu_window_renumber,
	.total = oncpu_total,
};
