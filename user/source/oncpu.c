/*
 * oncpu: samples of perf events, with their stacks.
 */
#include <stdlib.h>

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

struct oncpu {
	VEC(struct row) rows;
	size_t most;		   /* rows */
	int64_t lost[WIRE_EVENTS]; /* came when there were so many */
};

static void *oncpu_new(const void *options)
{
	struct oncpu *o = mem_zalloc(1, sizeof(*o));

	(void)options;
	o->most = mem_most() / SHARE / SAMPLE_BYTES;
	return o;
}

static void oncpu_free(void *state)
{
	struct oncpu *o = state;

	if (o)
		vec_release(&o->rows);
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

	if (o->rows.n < o->most)
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

	str_addf(out, "%s samples  ", units_count(n, sizeof(n), (int64_t)o->rows.n));
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

/* How many of the samples have stacks that are not whole, or not the program's own doing. */
static void add_notes(const struct oncpu *o, struct assembly *a, uint32_t metric)
{
	int64_t ends[ASSEMBLY_ENDS] = {0}, guessed = 0, probed = 0;

	for (size_t i = 0; i < o->rows.n; i++) {
		const struct row *row = &o->rows.at[i];

		if (row->event != metric || row->user == NO_STACK)
			continue;
		probed += assembly_is_probe(a, row->user, row->kernel);
		ends[a->stacks->stacks.at[row->user].end % ASSEMBLY_ENDS]++;
		guessed += a->stacks->stacks.at[row->user].guessed;
	}
	if (guessed)
		profile_ledger(a->p, metric, LEDGER_NOTE,
			       "some frames guessed: code without unwind rules", guessed);
	if (probed)
		profile_ledger(a->p, metric, LEDGER_NOTE, "amid a probe of a zone: [eprof probe]",
			       probed);
	for (uint8_t e = 0; e < ASSEMBLY_ENDS; e++)
		if (ends[e] && assembly_end_note(e))
			profile_ledger(a->p, metric, LEDGER_NOTE, assembly_end_note(e), ends[e]);
}

static void oncpu_finish(const void *state, struct assembly *a)
{
	const struct oncpu *o = state;

	add_rows(o, a);
	for (uint32_t metric = 0; metric < a->p->metrics.n; metric++) {
		add_notes(o, a, metric);
		profile_ledger_lose(a->p, metric, "no memory for more samples",
				    o->lost[metric % WIRE_EVENTS]);
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
	.total = oncpu_total,
};
