/*
 * faults: which memory page faults add to the target's processes, by stack; and why it goes away
 * again. Some of the additions are samples: as many as a budget of the target's CPU time allows.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"
#include "book/samplebook.h"
#include "load/kernel_types.h"
#include "model/memory_use.h"
#include "perf/rights.h"
#include "source/ledger.h"
#include "source/source.h"
#include "wire_faults.h"

#define STREAM WIRE_STREAM_faults

/* Part of the target's CPU time that stacks may take, if many short processes have it, whose own
 * the programs do not see. */
#define BUDGET 0.01
/* Before the first is measured: what a sample takes, in ns. */
#define SAMPLE_NS 4500
#define LOOK_NS	  1000000000u

/* What the program takes of each addition, and the way to it: of a loop of faults 90 to 110 ns
 * more. */
#define PROGRAM_NS 100

#define PAGE 4096

/* The metric in whose ledger all are. */
#define FAULTS "faults"

/* What the threads that a walk finds have. */
struct standing {
	int64_t faults, major, pages[WIRE_MEMORIES];
};

struct faults {
	struct samplebook samples;
	struct source_services services;
	struct session *session;
	bool assumes; /* each fault adds a page, as the kernel does not say how many: before 6.2 */
	uint64_t looked_ns, ran_ns; /* at the last look, … */
	int64_t pages;		    /* … when so many had been added */
	bool stopped;
	struct standing at_start, now; /* what the target's processes had */
	/* Metrics of the profile under way. */
	uint32_t growth, faults, of_memory[WIRE_MEMORIES];
};

static const char *const programs[] = {"faults_exec", "faults_exit", "faults_now", NULL};

/* --- options -------------------------------------------------------------------------------- */

/* Without an argument --heap asks for as many allocations as a limit allows, which may be none.
 * Growth costs little, so there is always that. */
static bool takes(const char *argument)
{
	return !argument || !strcmp(argument, "faults");
}

static void *parse(const char *argument, void *before)
{
	(void)argument;
	if (before)
		return before;
	if (!rights_to_bpf()) {
		(void)err(-EPERM, "no permission to capture page faults by stack "
				  "(--heap=faults): " RIGHTS_HOW);
		return NULL;
	}
	return mem_zalloc(1, 1);
}

static const struct source_option options[] = {
	{.name = "heap",
	 .argument = "=faults",
	 .does = "growth of memory by page faults, by stack, of any language and allocator,\n"
		 "                    at 1 to 2 % of CPU: metrics 'growth' and 'faults'",
	 .parse = parse,
	 .takes = takes},
	{0},
};

static void captures(const void *choice, double hz, struct str *out)
{
	(void)choice;
	(void)hz;
	str_add(out, "growth of memory by page faults");
}

static void *faults_new(const void *choice)
{
	struct faults *f = mem_zalloc(1, sizeof(*f));

	(void)choice;
	samplebook_init(&f->samples, STREAM, 1);
	return f;
}

static void faults_free(void *state)
{
	struct faults *f = state;

	if (f)
		samplebook_release(&f->samples);
	free(f);
}

static const struct {
	enum wire_memory memory;
	const char *name, *base;
} kinds[] = {
	{WIRE_MEMORY_ANONYMOUS, "growth-anonymous", "anonymous memory added by page faults"},
	{WIRE_MEMORY_FILE, "growth-file", "pages of files added by page faults"},
	{WIRE_MEMORY_SHARED, "growth-shared", "shared memory added by page faults"},
};
#define KINDS (sizeof(kinds) / sizeof(*kinds))

static uint32_t add_growth(struct profile *p, const char *name, const char *base)
{
	const uint32_t metric = profile_metric(p, name, "bytes", METRIC_SUM);

	profile_metric_base(p, metric, base);
	p->metrics.at[metric].ledger = intern_add(&p->strings, FAULTS);
	return metric;
}

static void metrics(void *state, struct profile *p)
{
	struct faults *f = state;

	f->growth = add_growth(p, "growth", "memory added by page faults");
	f->faults = profile_metric(p, FAULTS, "faults", METRIC_COUNT);
	profile_metric_base(p, f->faults, "page faults that added memory");
	for (size_t i = 0; i < KINDS; i++)
		f->of_memory[kinds[i].memory] = add_growth(p, kinds[i].name, kinds[i].base);
}

static uint64_t lost(const void *state)
{
	return ledger_lost(((const struct faults *)state)->session, STREAM, 1);
}

/* --- the capture ---------------------------------------------------------------------------- */

static void request(void *state, struct session_options *out)
{
	struct faults *f = state;

	f->assumes = kernel_types_have("sync_mm_rss");
	if (f->assumes) {
		vec_push(&out->programs, "faults_user");
		vec_push(&out->programs, "faults_kernel");
	} else {
		vec_push(&out->programs, "faults_grew");
	}
}

static void begin(void *state, const struct source_services *services)
{
	struct faults *f = state;

	f->services = *services;
	f->session = services->session;
}

static void set(const struct faults *f, enum wire_faults_control what, uint64_t value)
{
	session_map_set(f->session, "faults_control", what, value);
}

static uint64_t counter(const struct faults *f, uint32_t what)
{
	return session_map_value(f->session, "faults_counters", what);
}

/* Each walk adds to the counters. */
static struct standing walk(const struct faults *f)
{
	const struct standing before = {.faults = (int64_t)(counter(f, WIRE_FAULTS_NOW_MINOR) +
							    counter(f, WIRE_FAULTS_NOW_MAJOR)),
					.major = (int64_t)counter(f, WIRE_FAULTS_NOW_MAJOR)};
	struct standing s = {0};

	for (uint32_t m = 0; m < WIRE_MEMORIES; m++)
		s.pages[m] = -(int64_t)counter(f, WIRE_FAULTS_NOW_PAGES + m);
	(void)session_walk_tasks(f->session, "faults_now");
	for (uint32_t m = 0; m < WIRE_MEMORIES; m++)
		s.pages[m] += (int64_t)counter(f, WIRE_FAULTS_NOW_PAGES + m);
	s.major = (int64_t)counter(f, WIRE_FAULTS_NOW_MAJOR);
	s.faults = (int64_t)counter(f, WIRE_FAULTS_NOW_MINOR) + s.major - before.faults;
	s.major -= before.major;
	return s;
}

static void start(void *state)
{
	struct faults *f = state;
	const struct target *t = f->services.target;

	f->looked_ns = clock_ns(CLOCK_MONOTONIC);
	set(f, WIRE_FAULTS_LAUNCHER, target_launcher(t));
	set(f, WIRE_FAULTS_SAMPLE_TAKES_NS, SAMPLE_NS);
	f->at_start = walk(f);
	set(f, WIRE_FAULTS_ON, 1);
}

static void stop(void *state)
{
	struct faults *f = state;

	set(f, WIRE_FAULTS_ON, 0);
	f->now = walk(f);
	f->stopped = true;
}

/* Additions of the target that were seen so far. */
static uint64_t seen(const struct faults *f)
{
	return counter(f, WIRE_FAULTS_MEASURED) + counter(f, WIRE_FAULTS_ASSUMED);
}

/* Pages that they added. */
static int64_t grown(const struct faults *f, enum wire_memory memory)
{
	return (int64_t)(counter(f, WIRE_FAULTS_PAGES_OF(WIRE_GREW_FAULT, memory)) +
			 counter(f, WIRE_FAULTS_PAGES_OF(WIRE_GREW_CALL, memory)));
}

/* What a sample takes on average. */
static double sample_ns(const struct faults *f)
{
	uint64_t counters[WIRE_COUNTERS];

	if (session_counters(f->session, STREAM, counters) || counters[WIRE_TAKEN] < 100)
		return SAMPLE_NS;
	return (double)counter(f, WIRE_FAULTS_SAMPLE_NS) / (double)counters[WIRE_TAKEN];
}

/* Keeps to the budget: a sample stands for as many pages as there were since the last look for each
 * of the samples that the target's CPU time since then allows. */
static void tick(void *state)
{
	struct faults *f = state;
	const uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	uint64_t ran_ns = 0;
	int64_t pages = 0;
	double samples;

	if (now_ns - f->looked_ns < LOOK_NS)
		return;
	f->looked_ns = now_ns;
	if (!session_ran(f->session, &ran_ns))
		return;
	for (size_t i = 0; i < KINDS; i++)
		pages += grown(f, kinds[i].memory);
	set(f, WIRE_FAULTS_SAMPLE_TAKES_NS, (uint64_t)sample_ns(f));
	samples = BUDGET * (double)(ran_ns - f->ran_ns) / sample_ns(f);
	set(f, WIRE_FAULTS_LEAST,
	    samples > 1 ? (uint64_t)((double)(pages - f->pages) / samples) : 1);
	f->ran_ns = ran_ns;
	f->pages = pages;
}

/* --- samples -------------------------------------------------------------------------------- */

static void take_sample(struct faults *f, const struct wire_fault *w, uint32_t user,
			struct stackbook *stacks, struct procs *procs)
{
	struct sample_row row =
		samplebook_row(&f->samples, &w->sample, w->pages, user, stacks, procs);

	row.reason = w->memory % WIRE_MEMORIES;
	(void)samplebook_push(&f->samples, &row);
}

static void take(void *state, const void *record, struct stackbook *stacks, struct procs *procs)
{
	const struct wire_fault *w = record;

	take_sample(state, w, stackbook_find(stacks, w->sample.user_hash), stacks, procs);
}

static void take_slice(void *state, const struct source_slice *slice, struct stackbook *stacks,
		       struct procs *procs)
{
	struct wire_fault w;
	struct faults *f = state;

	source_slice_record(slice, &w, sizeof(w));
	samplebook_count_slice(&f->samples, slice);
	take_sample(f, &w, slice->stack, stacks, procs);
}

/* --- windows -------------------------------------------------------------------------------- */

static void window_end(void *state)
{
	struct faults *f = state;

	samplebook_window_end(&f->samples);
	if (!f->stopped)
		f->now = walk(f);
}

static void window_forget(void *state, struct survivors *r)
{
	struct faults *f = state;

	samplebook_window_forget(&f->samples, r);
}

static void window_renumber(void *state, const struct survivors *r)
{
	samplebook_window_renumber(&((struct faults *)state)->samples, r);
}

/* --- a profile ------------------------------------------------------------------------------ */

static void progress(const void *state, struct str *out)
{
	char n[UNITS_BUF];

	str_addf(out, "%s faults  ", units_count(n, sizeof(n), (int64_t)seen(state)));
}

/* A thread has no memory of its own. */
static bool has_memory(const struct faults *f)
{
	return f->services.target->kind != TARGET_TID;
}

static void finish(const void *state, struct assembly *a)
{
	const struct faults *f = state;
	_free_ int64_t *values = mem_zalloc(a->p->metrics.n, sizeof(*values));

	profile_add_part(a->p, PART_GROWTH);
	vec_each (row, &f->samples.rows) {
		values[f->growth] = (int64_t)(row->weight * row->part * PAGE);
		values[f->faults] = (int64_t)row->weight;
		values[f->of_memory[row->reason]] = values[f->growth];
		samplebook_put(&f->samples, row, a, values);
		values[f->of_memory[row->reason]] = 0;
	}
	samplebook_tally(&f->samples, a);
	samplebook_notes(&f->samples, a, f->faults, 1);
	profile_note(
		a->p,
		"growth assumes a page for each fault: before Linux 6.2 the kernel does not say "
		"how many",
		f->assumes);
}

static const struct {
	enum memory_kind kind;
	const char *why;
} causes[WIRE_FAULTS_CAUSES] = {
	[WIRE_GREW_FAULT] = {MEMORY_GREW, "page faults in user code"},
	[WIRE_GREW_CALL] = {MEMORY_GREW, "system calls that wrote to it, or mapped it at once"},
	[WIRE_GREW_FORK] = {MEMORY_MAPPED, "fork: as in the parent, and shared with it"},
	[WIRE_GREW_EXEC] = {MEMORY_MAPPED, "exec: arguments of a new program"},
	[WIRE_GREW_OTHER] = {MEMORY_MAPPED, "by another process: a debugger, probes"},
	[WIRE_SHRANK_MUNMAP] = {MEMORY_SHRANK, "munmap"},
	[WIRE_SHRANK_MADVISE] = {MEMORY_SHRANK, "madvise"},
	[WIRE_SHRANK_BRK] = {MEMORY_SHRANK, "brk"},
	[WIRE_SHRANK_EXIT] = {MEMORY_SHRANK, "exit"},
	[WIRE_SHRANK_EXEC] = {MEMORY_SHRANK, "exec: memory of the old program"},
	[WIRE_SHRANK_REPLACED] = {MEMORY_SHRANK, "page faults that copied a page of a file"},
	[WIRE_SHRANK_CALL] = {MEMORY_SHRANK, "other system calls"},
	[WIRE_SHRANK_TAKEN] = {MEMORY_SHRANK, "taken by the kernel or another process"},
};

static void add_change(struct profile *p, enum memory_kind kind, const char *why,
		       const int64_t pages[WIRE_MEMORIES])
{
	const struct memory_change row = {.kind = (uint8_t)kind,
					  .why = intern_add(&p->strings, why),
					  .anonymous = pages[WIRE_MEMORY_ANONYMOUS] * PAGE,
					  .file = pages[WIRE_MEMORY_FILE] * PAGE,
					  .shared = pages[WIRE_MEMORY_SHARED] * PAGE,
					  .swap = pages[WIRE_MEMORY_SWAP] * PAGE};

	if (row.anonymous || row.file || row.shared || row.swap || kind == MEMORY_NET)
		vec_push(&p->memory_changes, row);
}

static void add_changes(const struct faults *f, struct profile *p)
{
	int64_t pages[WIRE_MEMORIES];

	for (uint32_t c = 0; c < WIRE_FAULTS_CAUSES; c++) {
		for (uint32_t m = 0; m < WIRE_MEMORIES; m++)
			pages[m] = (int64_t)counter(f, WIRE_FAULTS_PAGES_OF(c, m));
		add_change(p, causes[c].kind, causes[c].why, pages);
	}
	if (!has_memory(f))
		return;
	for (uint32_t m = 0; m < WIRE_MEMORIES; m++)
		pages[m] = f->now.pages[m] - f->at_start.pages[m];
	add_change(p, MEMORY_NET, "resident at the end, less at the start", pages);
}

/* Faults by the kernel's own count, up to the last walk. */
static void add_all_faults(const struct faults *f, struct profile *p)
{
	const int64_t major =
		(int64_t)counter(f, WIRE_FAULTS_MAJOR) + f->now.major - f->at_start.major;
	const int64_t all =
		(int64_t)(counter(f, WIRE_FAULTS_MINOR) + counter(f, WIRE_FAULTS_MAJOR)) +
		f->now.faults - f->at_start.faults;
	const int64_t without = all - (int64_t)seen(f);

	if (without > 0)
		profile_ledger(p, f->faults, LEDGER_APART,
			       "faults that added no page: it was there, or was copied", without);
	if (major > 0)
		profile_ledger(p, f->faults, LEDGER_APART, "faults that waited for a disk (major)",
			       major);
}

static void account(const void *state, struct profile *p, const struct ledger_input *in)
{
	const struct faults *f = state;
	uint64_t counters[WIRE_COUNTERS];

	if (session_counters(in->session, STREAM, counters))
		return;
	ledger_outcomes(p, f->faults, counters, in->running);
	ledger_slices(p, f->faults, counters, samplebook_dropped(&f->samples, 1));
	add_all_faults(f, p);
	add_changes(f, p);
}

/* The part of a sample's value that is scaled: of @weight events it stands for the others, or where
 * that is not enough, for all. */
static double scaled(int64_t value, int64_t weight, bool all)
{
	if (all || weight < 1)
		return (double)value;
	return (double)value / (double)weight * (double)(weight - 1);
}

/* By which factor those parts must be scaled. */
static double factor_of(const profile_values *values, const int64_t *weights, size_t n,
			double wanted, bool all)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		const double at = scaled(values->at[i], weights[i], all);

		sum += at;
		wanted -= (double)values->at[i] - at;
	}
	return sum > 0 && wanted > 0 ? wanted / sum : 0;
}

/* Beyond that too few samples stand for others. */
#define FACTOR_MOST 3

/* Makes the values of a metric add up to @wanted; what is left of the rounding of one goes to the
 * next. @weights: by sample. */
static void scale(struct profile *p, const struct ledger_input *in, uint32_t metric,
		  const int64_t *weights, int64_t wanted)
{
	profile_values *values = &p->samples.values.at[metric];
	const size_t n = p->samples.n;
	const double sum = (double)(wanted - in->past->sums[metric % LEDGER_METRICS]);
	double factor = factor_of(values, weights, n, sum, false), left = 0;
	const bool all = factor > FACTOR_MOST || factor < 1. / FACTOR_MOST;

	factor = all ? factor_of(values, weights, n, sum, true) : factor;
	for (size_t i = 0; i < n && factor > 0; i++) {
		const double at = scaled(values->at[i], weights[i], all), is = at * factor + left;
		const double whole = fmax(floor(is), all && at > 0);

		if (at <= 0)
			continue;
		left = is - whole;
		values->at[i] += (int64_t)(whole - at);
	}
}

/* The growth of each sample is that of its kind of memory. */
static void add_up(const struct faults *f, struct profile *p)
{
	for (size_t i = 0; i < p->samples.n; i++) {
		for (size_t k = 0; k < KINDS; k++) {
			int64_t *one = &p->samples.values.at[f->of_memory[kinds[k].memory]].at[i];

			if (*one && f->assumes)
				*one = p->samples.values.at[f->faults].at[i] * PAGE;
			if (*one)
				p->samples.values.at[f->growth].at[i] = *one;
		}
	}
}

/* The samples stand for all additions: their values are made to add up to what was counted. */
static void reconcile(const void *state, struct profile *p, const struct ledger_input *in)
{
	const struct faults *f = state;
	_free_ int64_t *weights = mem_zalloc(p->samples.n + 1, sizeof(*weights));

	for (size_t i = 0; i < p->samples.n; i++)
		weights[i] = p->samples.values.at[f->faults].at[i];
	scale(p, in, f->faults, weights, (int64_t)seen(f));
	for (size_t i = 0; i < KINDS && !f->assumes; i++)
		scale(p, in, f->of_memory[kinds[i].memory], weights,
		      grown(f, kinds[i].memory) * PAGE);
	add_up(f, p);
	profile_ledger(p, f->faults, LEDGER_APART, LEDGER_ALL, (int64_t)seen(f));
}

static void taken(const void *state, const struct profile *p, struct taken *sum)
{
	const struct faults *f = state;

	(void)p;
	TAKEN_RUN(sum, (double)counter(f, WIRE_FAULTS_SAMPLE_NS));
	TAKEN_TIMED(sum, PROGRAM_NS * (double)seen(f));
}

static void total(const void *state, const struct profile *p, struct str *out)
{
	(void)p;
	str_addf(out, "%s faults", count_text((int64_t)seen(state)));
}

const struct source faults_source = {
	.name = "growth by page faults",
	.options = options,
	.programs = programs,
	.captures = captures,
	.new = faults_new,
	.free = faults_free,
	.finish = finish,
	.metrics = metrics,
	.lost = lost,
	.request = request,
	.begin = begin,
	.start = start,
	.take = take,
	.take_slice = take_slice,
	.tick = tick,
	.progress = progress,
	.stop = stop,
	.window_end = window_end,
	.window_forget = window_forget,
	.window_renumber = window_renumber,
	.account = account,
	.reconcile = reconcile,
	.taken = taken,
	.total = total,
};
