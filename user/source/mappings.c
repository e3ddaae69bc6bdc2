/*
 * mappings: what the target's processes map and unmap with system calls, by stack. The program
 * sends each such call; here they are put in order of time, as some stacks are walked in user space
 * and come later, and applied to what is known of each process's address space.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/units.h"
#include "book/samplebook.h"
#include "heap/mapped.h"
#include "model/meta.h"
#include "perf/rights.h"
#include "source/ledger.h"
#include "source/source.h"
#include "wire_mappings.h"

#define STREAM WIRE_STREAM_mappings

#define PAGE 4096u

/* The name of the metric in whose ledger all calls are. */
#define CALLS "mappings"

/* A call, until it is applied. */
struct call {
	uint32_t pid, what, detail;
	uint64_t start, bytes;
	bool moves; /* what is unmapped is a part of mremap */
	struct sample_row row;
};

/* Who mapped something: the row of that call. */
struct mapped_origin {
	struct sample_row row;
	bool used; /* by a piece; only while the others are forgotten */
};

struct process {
	uint32_t pid;
	struct mapped mapped;
};

/* What a row of the samplebook is: sample_row.reason. */
enum became { BECAME_MAPPED, BECAME_UNMAPPED, BECAME_LEFT };

struct mappings {
	struct samplebook samples;
	struct session *session;
	const struct target *target;
	VEC(struct call) calls;
	VEC(struct mapped_origin) origins;
	struct map by_pid; /* pid → index of processes */
	VEC(struct process) processes;
	mapped_changes changes; /* of the call that is applied */
	/* Calls: beyond a bound; that unmapped what was not known; that mapped nothing, and of
	 * these those that only reserved addresses. */
	uint64_t lost, unknown, aside, reserved;
	/* Metrics of the profile under way. */
	uint32_t live, total, left, count;
};

static const char *const programs[] = {"mappings_enter", "mappings_exit", "mappings_exec",
				       "mappings_end", NULL};

/* --- options -------------------------------------------------------------------------------- */

static void *parse(const char *argument, void *before)
{
	(void)argument;
	if (before)
		return before;
	if (!rights_to_bpf()) {
		(void)err(-EPERM,
			  "no permission to capture mappings by stack (--mmap): " RIGHTS_HOW);
		return NULL;
	}
	return mem_zalloc(1, 1);
}

static const struct source_option options[] = {
	{.name = "mmap",
	 .does = "what processes map into their address space by mmap, mremap and brk,\n"
		 "                    and unmap again, by stack: metrics 'mapped', "
		 "'mapped-total',\n"
		 "                    'mapped-left' and 'mappings'",
	 .parse = parse},
	{0},
};

static void captures(const void *choice, double hz, struct str *out)
{
	(void)choice;
	(void)hz;
	str_add(out, "mappings");
}

static void *mappings_new(const void *choice)
{
	struct mappings *m = mem_zalloc(1, sizeof(*m));

	(void)choice;
	samplebook_init(&m->samples, STREAM, 1);
	return m;
}

static void mappings_free(void *state)
{
	struct mappings *m = state;

	if (!m)
		return;
	samplebook_release(&m->samples);
	vec_each (p, &m->processes)
		mapped_release(&p->mapped);
	vec_release(&m->processes);
	vec_release(&m->calls);
	vec_release(&m->origins);
	vec_release(&m->changes);
	map_release(&m->by_pid);
	free(m);
}

static uint32_t add_metric(struct profile *p, const char *name, const char *base,
			   enum metric_course course)
{
	const uint32_t metric = profile_metric(p, name, "bytes", METRIC_SUM);

	profile_metric_base(p, metric, base);
	p->metrics.at[metric].ledger = intern_add(&p->strings, CALLS);
	p->metrics.at[metric].exact = true;
	p->metrics.at[metric].course = (uint8_t)course;
	return metric;
}

static void metrics(void *state, struct profile *p)
{
	struct mappings *m = state;

	m->live = add_metric(p, "mapped", "memory mapped at the end", COURSE_LEVEL);
	m->total = add_metric(p, "mapped-total", "memory mapped in all", COURSE_AMOUNT);
	m->left = add_metric(p, "mapped-left", "memory still mapped when its process ended",
			     COURSE_NONE);
	m->count = profile_metric(p, CALLS, "calls", METRIC_COUNT);
	profile_metric_base(p, m->count, "calls that mapped something");
	p->metrics.at[m->count].exact = true;
}

static uint64_t lost(const void *state)
{
	return ledger_lost(((const struct mappings *)state)->session, STREAM, 1);
}

/* --- the capture ---------------------------------------------------------------------------- */

static void begin(void *state, const struct source_services *services)
{
	struct mappings *m = state;

	m->session = services->session;
	m->target = services->target;
}

static void start(void *state)
{
	const struct mappings *m = state;

	session_map_set(m->session, "mappings_control", WIRE_MAPPINGS_LAUNCHER,
			target_launcher(m->target));
	session_map_set(m->session, "mappings_control", WIRE_MAPPINGS_ON, 1);
}

static void stop(void *state)
{
	session_map_set(((struct mappings *)state)->session, "mappings_control", WIRE_MAPPINGS_ON,
			0);
}

static void push_call(struct mappings *m, const struct call *c)
{
	if (m->calls.n >= m->samples.most)
		m->lost++;
	else
		vec_push(&m->calls, *c);
}

/* What is unmapped goes when the call begins, as from then on another thread may be given it. */
static void take_call(struct mappings *m, const struct wire_mapping *w, uint32_t user,
		      struct stackbook *stacks, struct procs *procs)
{
	struct call c = {.pid = w->sample.pid,
			 .what = w->what,
			 .detail = w->detail,
			 .start = w->start,
			 .bytes = w->bytes,
			 .row = samplebook_row(&m->samples, &w->sample, 0, user, stacks, procs)};
	struct call gone = c;

	/* The kernel's part is the way of the call, the same for all. */
	c.row.kernel = gone.row.kernel = NO_STACK;
	gone.row.time_ns = w->began_ns ? w->began_ns : c.row.time_ns;
	if (w->what == WIRE_UNMAPPED) {
		push_call(m, &gone);
		return;
	}
	if (w->what == WIRE_REMAPPED && !(w->detail & MREMAP_DONTUNMAP)) {
		gone.what = WIRE_UNMAPPED;
		gone.start = w->old;
		gone.bytes = w->old_bytes;
		gone.moves = true;
		push_call(m, &gone);
	}
	push_call(m, &c);
}

static void take(void *state, const void *record, struct stackbook *stacks, struct procs *procs)
{
	const struct wire_mapping *w = record;

	take_call(state, w, stackbook_find(stacks, w->sample.user_hash), stacks, procs);
}

static void take_slice(void *state, const struct source_slice *slice, struct stackbook *stacks,
		       struct procs *procs)
{
	struct wire_mapping w;
	struct mappings *m = state;

	source_slice_record(slice, &w, sizeof(w));
	samplebook_count_slice(&m->samples, slice);
	take_call(m, &w, slice->stack, stacks, procs);
}

/* --- calls in order of time ----------------------------------------------------------------- */

static struct mapped *process_of(struct mappings *m, uint32_t pid)
{
	const uint32_t i = map_number(&m->by_pid, pid, m->processes.n);

	if (i == m->processes.n)
		vec_push(&m->processes, (struct process){.pid = pid});
	return &m->processes.at[i].mapped;
}

static uint64_t end_of(uint64_t start, uint64_t bytes)
{
	const uint64_t end = start + bytes;

	return end < start || end > UINT64_MAX - PAGE ? UINT64_MAX : (end + PAGE - 1) / PAGE * PAGE;
}

/* Maps, as @by. */
static void put(struct mappings *m, struct mapped *process, const struct call *c, uint32_t by,
		bool accessible)
{
	const uint64_t end = end_of(c->start, c->bytes);

	m->reserved += !accessible;
	if (!mapped_put(process, (struct mapped_piece){c->start, end, by, accessible}, &m->changes))
		m->lost++;
}

static void apply(struct mappings *m, struct mapped *process, const struct call *c, uint32_t by)
{
	const bool accessible = c->detail & (PROT_READ | PROT_WRITE | PROT_EXEC);
	uint64_t unknown;

	switch (c->what) {
	case WIRE_MAPPED:
		put(m, process, c, by, accessible);
		break;
	case WIRE_PROTECTED:
		mapped_protect(process, c->start, end_of(c->start, c->bytes), by, accessible,
			       &m->changes);
		break;
	case WIRE_UNMAPPED:
		unknown = mapped_take(process, c->start, end_of(c->start, c->bytes), &m->changes);
		m->unknown += unknown && !c->moves;
		break;
	case WIRE_REMAPPED: /* what realloc() hands out is new, too */
		put(m, process, c, by, true);
		break;
	case WIRE_BROKE:
		if (!mapped_break(process, c->start, by, &m->changes))
			m->lost++;
		break;
	default:
		mapped_take_all(process, &m->changes);
	}
}

/* A sample for what changed: at the stack that had mapped it. What came counts as one call. */
static void add_change(struct mappings *m, const struct call *c, const struct mapped_change *change,
		       bool counts)
{
	struct sample_row row = m->origins.at[change->by].row;
	const bool ended = c->what == WIRE_MAPPINGS_REPLACED || c->what == WIRE_MAPPINGS_ENDED;

	row.time_ns = c->row.time_ns;
	row.weight = counts;
	row.part = (uint64_t)llabs(change->bytes);
	row.reason = change->bytes > 0 ? BECAME_MAPPED : ended ? BECAME_LEFT : BECAME_UNMAPPED;
	(void)samplebook_push(&m->samples, &row);
}

static void apply_call(struct mappings *m, const struct call *c)
{
	const uint32_t by = (uint32_t)m->origins.n;
	bool counts = true;

	vec_push(&m->origins, ((struct mapped_origin){.row = c->row}));
	m->changes.n = 0;
	apply(m, process_of(m, c->pid), c, by);
	vec_each (change, &m->changes) {
		add_change(m, c, change, counts && change->bytes > 0);
		counts = counts && change->bytes <= 0;
	}
	if (!counts)
		return;
	/* Nobody refers to it. */
	m->origins.n--;
	m->aside += !c->moves;
}

static int in_time(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	return order_up(x->row.time_ns, y->row.time_ns);
}

static void apply_calls(struct mappings *m)
{
	vec_sort(&m->calls, in_time);
	vec_each (c, &m->calls)
		apply_call(m, c);
	m->calls.n = 0;
}

/* --- windows -------------------------------------------------------------------------------- */

static void window_end(void *state)
{
	struct mappings *m = state;

	apply_calls(m);
	samplebook_window_end(&m->samples);
}

/* Forgets who has nothing mapped any more, and gives the others new numbers. */
static void forget_origins(struct mappings *m)
{
	_free_ uint32_t *number = mem_zalloc(m->origins.n + 1, sizeof(*number));
	uint32_t n = 0;

	vec_each (process, &m->processes)
		vec_each (piece, &process->mapped.pieces)
			m->origins.at[piece->by].used = true;
	for (uint32_t i = 0; i < m->origins.n; i++)
		if (m->origins.at[i].used) {
			m->origins.at[n] = m->origins.at[i];
			m->origins.at[n].used = false;
			number[i] = n++;
		}
	m->origins.n = n;
	vec_each (process, &m->processes)
		vec_each (piece, &process->mapped.pieces)
			piece->by = number[piece->by];
}

/* Forgets processes that have nothing mapped, or ended. */
static void forget_processes(struct mappings *m)
{
	size_t n = 0;
	bool fresh;

	map_release(&m->by_pid);
	m->by_pid = (struct map){0};
	vec_each (p, &m->processes) {
		if (!p->mapped.pieces.n && !p->mapped.brk) {
			mapped_release(&p->mapped);
			continue;
		}
		*map_put(&m->by_pid, p->pid, &fresh) = (uint32_t)n;
		m->processes.at[n++] = *p;
	}
	m->processes.n = n;
}

static void window_forget(void *state, struct survivors *r)
{
	struct mappings *m = state;

	samplebook_window_forget(&m->samples, r);
	forget_processes(m);
	forget_origins(m);
	vec_each (o, &m->origins)
		survivors_mark(r, o->row.thread, o->row.user, o->row.kernel);
	vec_each (c, &m->calls)
		survivors_mark(r, c->row.thread, c->row.user, c->row.kernel);
}

static void window_renumber(void *state, const struct survivors *r)
{
	struct mappings *m = state;

	samplebook_window_renumber(&m->samples, r);
	vec_each (o, &m->origins)
		survivors_renumber(r, &o->row.thread, &o->row.user, &o->row.kernel);
	vec_each (c, &m->calls)
		survivors_renumber(r, &c->row.thread, &c->row.user, &c->row.kernel);
}

/* --- a profile ------------------------------------------------------------------------------ */

/* Reports open with what is mapped, or else with what was. */
static void choose_opening(const struct mappings *m, struct profile *p, int64_t live, int64_t left)
{
	const uint32_t metric = live > 0 ? m->live : left > 0 ? m->left : m->count;

	profile_set_run(p, RUN_METRIC, profile_text(p, p->metrics.at[metric].name));
}

static void finish(const void *state, struct assembly *a)
{
	const struct mappings *m = state;
	_free_ int64_t *values = mem_zalloc(a->p->metrics.n, sizeof(*values));
	int64_t live = 0, left = 0;

	vec_each (row, &m->samples.rows) {
		const int64_t bytes = (int64_t)row->part;

		values[m->live] = row->reason == BECAME_MAPPED ? bytes : -bytes;
		values[m->total] = row->reason == BECAME_MAPPED ? bytes : 0;
		values[m->left] = row->reason == BECAME_LEFT ? bytes : 0;
		values[m->count] = (int64_t)row->weight;
		live += values[m->live];
		left += values[m->left];
		samplebook_put(&m->samples, row, a, values);
	}
	choose_opening(m, a->p, live, left);
	samplebook_tally(&m->samples, a);
	samplebook_notes(&m->samples, a, m->count, 1);
}

static uint64_t counted(const struct mappings *m, enum wire_mappings_counter what)
{
	return session_map_value(m->session, "mappings_counters", what);
}

static void set_apart(const struct mappings *m, struct profile *p, const char *what, uint64_t n)
{
	if (n)
		profile_ledger(p, m->count, LEDGER_APART, what, (int64_t)n);
}

static void account(const void *state, struct profile *p, const struct ledger_input *in)
{
	const struct mappings *m = state;
	uint64_t counters[WIRE_COUNTERS];

	if (session_counters(in->session, STREAM, counters))
		return;
	counters[WIRE_TAKEN] -= m->aside;
	counters[WIRE_KEPT] -= m->aside;
	ledger_outcomes(p, m->count, counters, in->running);
	ledger_slices(p, m->count, counters, samplebook_dropped(&m->samples, 1));
	profile_ledger_lose(p, m->count, "too many pieces are mapped", (int64_t)m->lost);
	set_apart(m, p, "calls that unmap, protect or end the heap", m->aside - m->reserved);
	set_apart(m, p, "calls that only reserve addresses, without access", m->reserved);
	set_apart(m, p, "calls that failed", counted(m, WIRE_MAPPINGS_FAILED));
	set_apart(m, p, "calls of 32 bits, which are not followed",
		  counted(m, WIRE_MAPPINGS_COMPAT));
	set_apart(m, p, "calls that unmap what was there before the capture, or a parent's",
		  m->unknown);
}

static void taken(const void *state, const struct profile *p, struct taken *sum)
{
	const struct mappings *m = state;

	(void)p;
	TAKEN_RUN(sum, (double)counted(m, WIRE_MAPPINGS_RUN_NS));
}

static void total(const void *state, const struct profile *p, struct str *out)
{
	(void)p;
	str_addf(out, "%s calls that map or unmap",
		 count_text((int64_t)counted(state, WIRE_MAPPINGS_RUNS)));
}

const struct source mappings_source = {
	.name = "mappings",
	.options = options,
	.programs = programs,
	.captures = captures,
	.new = mappings_new,
	.free = mappings_free,
	.finish = finish,
	.metrics = metrics,
	.lost = lost,
	.begin = begin,
	.start = start,
	.take = take,
	.take_slice = take_slice,
	.stop = stop,
	.window_end = window_end,
	.window_forget = window_forget,
	.window_renumber = window_renumber,
	.account = account,
	.taken = taken,
	.total = total,
};
