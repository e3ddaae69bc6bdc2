/*
 * syscalls: the system calls of the target: every one counted and timed, by thread, call and error;
 * samples of them have stacks. The programs add to one of two maps; the loader has them change over
 * to the other now and then, and empties the first.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"
#include "load/counters.h"
#include "model/process.h"
#include "perf/rights.h"
#include "source/oncpu_ledger.h"
#include "book/samplebook.h"
#include "source/source.h"
#include "book/syscallbook.h"
#include "wire_syscalls.h"

#define STREAM WIRE_STREAM_syscalls

/* Samples a second on a CPU, at most: each costs as much as twenty calls that are counted. */
#define SAMPLES_HZ 1000
/* The maps change over so often, and once there are so many new rows. */
#define TAKE_NS	  1000000000u
#define TAKE_ROWS 32768u
/* Calls whose price is measured, and rounds of them, of which the best counts. */
#define PRICE_CALLS  2000
#define PRICE_ROUNDS 5

struct syscalls {
	struct syscallbook book;
	struct samplebook samples;
	struct source_services services;
	struct session *session;
	struct procs *procs;
	uint32_t set;		       /* the map that programs add to */
	uint64_t taken_ns, taken_rows; /* at the last change: when, and rows until then */
	double bare_ns, price_ns;      /* of a system call: without the programs; what they add */
	uint32_t metric;	       /* of the profile under way */
};

static const char *const programs[] = {"syscalls_enter", "syscalls_exit", "syscalls_end",
				       "syscalls_exec",	 "syscalls_now",  NULL};

/* --- options -------------------------------------------------------------------------------- */

static void *parse(const char *argument, void *before)
{
	(void)argument;
	if (before)
		return before;
	if (!rights_to_bpf()) {
		(void)err(-EPERM,
			  "no permission to capture system calls (--syscalls): " RIGHTS_HOW);
		return NULL;
	}
	return mem_zalloc(1, 1);
}

static const struct source_option options[] = {
	{.name = "syscalls",
	 .does = "count and time every system call, by thread, call and error, and sample them\n"
		 "                    with stacks: metric 'syscalls'",
	 .parse = parse},
	{0},
};

static void captures(const void *choice, double hz, struct str *out)
{
	(void)choice;
	(void)hz;
	str_addf(out, "system calls, with up to %d stacks a second on a CPU", SAMPLES_HZ);
}

static void *syscalls_new(const void *choice)
{
	struct syscalls *s = mem_zalloc(1, sizeof(*s));

	(void)choice;
	samplebook_init(&s->samples, STREAM, 1);
	return s;
}

static void syscalls_free(void *state)
{
	struct syscalls *s = state;

	if (s) {
		samplebook_release(&s->samples);
		syscallbook_release(&s->book);
	}
	free(s);
}

static void metrics(void *state, struct profile *p)
{
	struct syscalls *s = state;

	s->metric = profile_metric(p, "syscalls", "events", METRIC_COUNT);
}

static uint64_t lost(const void *state)
{
	return ledger_lost(((const struct syscalls *)state)->session, STREAM, 1);
}

/* --- the start ------------------------------------------------------------------------------ */

static void request(void *state, struct session_options *out)
{
	(void)state;
	vec_push(&out->paces, ((struct session_pace){STREAM, session_pace(0, SAMPLES_HZ)}));
}

/* CPU time of a system call that does next to nothing, in ns. */
static double call_ns(void)
{
	double least = 0;

	for (int round = 0; round < PRICE_ROUNDS; round++) {
		const uint64_t from = clock_ns(CLOCK_THREAD_CPUTIME_ID);
		double ns;

		for (int i = 0; i < PRICE_CALLS; i++)
			(void)syscall(SYS_getppid);
		ns = (double)(clock_ns(CLOCK_THREAD_CPUTIME_ID) - from) / PRICE_CALLS;
		least = round && least < ns ? least : ns;
	}
	return least;
}

static void begin(void *state, const struct source_services *services)
{
	struct syscalls *s = state;

	s->services = *services;
	s->session = services->session;
	s->procs = services->procs;
	s->bare_ns = call_ns();
}

static void set(const struct syscalls *s, enum wire_syscall_control what, uint64_t value)
{
	session_map_set(s->session, "syscalls_control", what, value);
}

/* What the programs add to a call, seen by one of our own threads, which they treat as one of the
 * target's for that time. */
static int measure_price(void *state)
{
	struct syscalls *s = state;
	char ns[UNITS_BUF];
	_free_ char *text = NULL;

	set(s, WIRE_SYSCALL_PRICE, (uint64_t)syscall(SYS_gettid));
	s->price_ns = call_ns() - s->bare_ns;
	set(s, WIRE_SYSCALL_PRICE, 0);
	s->price_ns = s->price_ns > 0 ? s->price_ns : 0;
	text = mem_printf("each system call of the target will take %s longer",
			  units_ns(ns, sizeof(ns), s->price_ns));
	if (s->services.say)
		s->services.say(s->services.context, text);
	return 0;
}

static const char *map_name(uint32_t number)
{
	return number ? "syscalls_1" : "syscalls_0";
}

static void start(void *state)
{
	struct syscalls *s = state;
	const struct target *t = s->services.target;
	struct map_entries none = {0};

	/* Those of the price. */
	(void)session_map_entries(s->session, map_name(0), true, &none);
	vec_release(&none.words);
	s->taken_ns = clock_ns(CLOCK_MONOTONIC);
	set(s, WIRE_SYSCALL_LAUNCHER, target_launcher(t));
	(void)session_walk_tasks(s->session, "syscalls_now");
	set(s, WIRE_SYSCALL_PHASE, WIRE_SYSCALL_DURING);
}

/* --- counts --------------------------------------------------------------------------------- */

static uint64_t counter(const struct syscalls *s, enum wire_syscall_counter what)
{
	return session_map_value(s->session, "syscalls_counters", what);
}

/* Empties a map to which no program adds any more. */
static void take_map(struct syscalls *s, uint32_t number)
{
	struct map_entries entries = {0};

	(void)session_map_entries(s->session, map_name(number), true, &entries);
	for (size_t i = 0; i < entries.n; i++) {
		const struct wire_syscall_key *key = map_entry_key(&entries, i);
		const struct syscall_row row = {
			.thread = procs_thread(s->procs, key->pid, key->tid),
			.call = key->call,
			.error = key->error,
			.sums = *(const struct wire_syscall_sums *)map_entry_value(&entries, i)};

		syscallbook_add(&s->book, &row);
	}
	vec_release(&entries.words);
}

/* Who has begun to add to the map before the change must have ended before it is read. */
static void change_over(struct syscalls *s)
{
	const uint32_t before = s->set;

	s->set = !s->set;
	set(s, WIRE_SYSCALL_SET, s->set);
	s->taken_ns = clock_ns(CLOCK_MONOTONIC);
	s->taken_rows = counter(s, WIRE_SYSCALL_ROWS);
	counters_await_programs();
	take_map(s, before);
}

static void tick(void *state)
{
	struct syscalls *s = state;

	if (clock_ns(CLOCK_MONOTONIC) - s->taken_ns >= TAKE_NS ||
	    counter(s, WIRE_SYSCALL_ROWS) - s->taken_rows >= TAKE_ROWS)
		change_over(s);
}

static bool survey(void *state)
{
	change_over(state);
	return false;
}

static void stop(void *state)
{
	struct syscalls *s = state;

	/* Calls that programs under way count are in no row when the open ones are sought. */
	set(s, WIRE_SYSCALL_PHASE, WIRE_SYSCALL_AFTER);
	change_over(s);
	(void)session_walk_tasks(s->session, "syscalls_now");
	take_map(s, s->set);
}

/* --- samples -------------------------------------------------------------------------------- */

/* @user: the sample's user stack. */
static void take_sample(struct syscalls *s, const struct wire_syscall_sample *w, uint32_t user,
			struct stackbook *stacks, struct procs *procs)
{
	const struct sample_row row =
		samplebook_row(&s->samples, &w->sample, w->call, user, stacks, procs);

	(void)samplebook_push(&s->samples, &row);
}

static void take(void *state, const void *record, struct stackbook *stacks, struct procs *procs)
{
	const struct wire_syscall_sample *w = record;

	take_sample(state, w, stackbook_find(stacks, w->sample.user_hash), stacks, procs);
}

static void take_slice(void *state, const struct source_slice *slice, struct stackbook *stacks,
		       struct procs *procs)
{
	struct wire_syscall_sample w;
	struct syscalls *s = state;

	source_slice_record(slice, &w, sizeof(w));
	samplebook_count_slice(&s->samples, slice);
	take_sample(s, &w, slice->stack, stacks, procs);
}

/* --- windows -------------------------------------------------------------------------------- */

static void window_end(void *state)
{
	struct syscalls *s = state;

	samplebook_window_end(&s->samples);
	syscallbook_window_end(&s->book);
}

static void window_forget(void *state, struct survivors *r)
{
	struct syscalls *s = state;

	samplebook_window_forget(&s->samples, r);
	syscallbook_window_forget(&s->book, r);
}

static void window_renumber(void *state, const struct survivors *r)
{
	struct syscalls *s = state;

	samplebook_window_renumber(&s->samples, r);
	syscallbook_window_renumber(&s->book, r);
}

/* --- a profile ------------------------------------------------------------------------------ */

static void progress(const void *state, struct str *out)
{
	char n[UNITS_BUF];

	str_addf(out, "%s system calls  ",
		 units_count(n, sizeof(n), (int64_t)counter(state, WIRE_SYSCALL_CALLS)));
}

/* The innermost frame of a sample is the call; of the kernel's stack there is only how it returns
 * from the call. */
static void put_sample(const struct sample_row *row, struct assembly *a, const int64_t *values)
{
	_free_ char *name = syscallbook_name((uint32_t)row->part);
	const uint32_t node =
		assembly_frame(a, assembly_node(a, row->user, NO_STACK), KIND_KERNEL, name);

	samplebook_put_at(row, a, node, values);
}

static void finish(const void *state, struct assembly *a)
{
	const struct syscalls *s = state;
	_free_ int64_t *values = mem_zalloc(a->p->metrics.n, sizeof(*values));

	profile_add_part(a->p, PART_SYSCALLS);
	vec_each (row, &s->samples.rows) {
		values[s->metric] = (int64_t)row->weight;
		put_sample(row, a, values);
	}
	samplebook_tally(&s->samples, a);
	samplebook_notes(&s->samples, a, s->metric, 1);
	syscallbook_put(&s->book, a);
}

static void account(const void *state, struct profile *p, const struct ledger_input *in)
{
	const struct syscalls *s = state;
	uint64_t counters[WIRE_COUNTERS];

	if (session_counters(in->session, STREAM, counters))
		return;
	ledger_outcomes(p, s->metric, counters, in->running);
	ledger_slices(p, s->metric, counters, samplebook_dropped(&s->samples, 1));
	if (counter(s, WIRE_SYSCALL_LOST) + s->book.left_out)
		profile_ledger(p, s->metric, LEDGER_NOTE,
			       "system calls in no row of their table: too many threads",
			       (int64_t)(counter(s, WIRE_SYSCALL_LOST) + s->book.left_out));
}

static void reconcile(const void *state, struct profile *p, const struct ledger_input *in)
{
	const struct syscalls *s = state;

	paced_totals(p, in, &(struct paced){.stream = STREAM, .metric = s->metric});
}

static void taken(const void *state, const struct profile *p, struct taken *sum)
{
	const struct syscalls *s = state;

	(void)p;
	TAKEN_TIMED(sum, s->price_ns * (double)counter(s, WIRE_SYSCALL_CALLS));
	TAKEN_RUN(sum, (double)counter(s, WIRE_SYSCALL_RUN_NS));
}

static void total(const void *state, const struct profile *p, struct str *out)
{
	int64_t calls = 0;

	(void)state;
	vec_each (row, &p->syscalls)
		calls += row->calls;
	str_addf(out, "%s system calls", count_text(calls));
}

const struct source syscalls_source = {
	.name = "system calls",
	.options = options,
	.programs = programs,
	.captures = captures,
	.new = syscalls_new,
	.free = syscalls_free,
	.finish = finish,
	.metrics = metrics,
	.lost = lost,
	.request = request,
	.begin = begin,
	.open = measure_price,
	.start = start,
	.take = take,
	.take_slice = take_slice,
	.tick = tick,
	.progress = progress,
	.survey = survey,
	.stop = stop,
	.window_end = window_end,
	.window_forget = window_forget,
	.window_renumber = window_renumber,
	.account = account,
	.reconcile = reconcile,
	.taken = taken,
	.total = total,
};
