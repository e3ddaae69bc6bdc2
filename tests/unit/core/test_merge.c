/* Profiles merged: the counts are sums, the rows in no order of arrival, and nothing else is left.
 */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/err.h"
#include "merge/merge.h"
#include "metric_sum.h"
#include "model/timed_event.h"
#include "model/memory_use.h"
#include "model/process.h"
#include "model/waits.h"
#include "store/store.h"

#include "small_profile.h"
#include "zone_profile.h"

/* --- helpers -------------------------------------------------------------------------------- */

/* One that is added under a name, and freed. */
struct input {
	const char *file;
	struct profile *p;
};

static int try_merge(const struct merge_choice *choice, const struct input *at, size_t n,
		     struct profile **out)
{
	struct merge *m = merge_new(choice);
	int rc = 0;

	for (size_t i = 0; i < n; i++) {
		assert_int_equal(profile_check(at[i].p), 0);
		rc = rc ? rc : merge_add(m, at[i].p, at[i].file);
		profile_free(at[i].p);
	}
	if (!rc)
		rc = merge_finish(m, out);
	merge_free(m);
	return rc;
}

static struct profile *merge_chosen(struct merge_choice choice, const struct input *at, size_t n)
{
	struct profile *p = NULL;

	assert_int_equal(try_merge(&choice, at, n, &p), 0);
	return p;
}

#define INPUTS(...)                          \
	(const struct input[]){__VA_ARGS__}, \
		sizeof((const struct input[]){__VA_ARGS__}) / sizeof(struct input)
#define MERGE(...) merge_chosen((struct merge_choice){0}, INPUTS(__VA_ARGS__))

/* Both files are the same bytes. Frees both. */
static void assert_same(struct profile *a, struct profile *b)
{
	char *left, *right;
	size_t n, m;

	assert_int_equal(store_image(a, &left, &n), 0);
	assert_int_equal(store_image(b, &right, &m), 0);
	assert_int_equal(n, m);
	assert_memory_equal(left, right, n);
	free(left);
	free(right);
	profile_free(a);
	profile_free(b);
}

/* The three that are merged in every order: of samples and zones, of zones alone, of waits. */
static void add_line(struct profile *p, const char *file, uint32_t line, const char *text)
{
	profile_add_part(p, PART_SOURCE);
	vec_push(&p->source_lines, ((struct source_line){intern_add(&p->strings, file), line,
							 intern_add(&p->strings, text)}));
}

static struct profile *first(void)
{
	struct profile *p = zone_profile();

	p->started_unix_ns = 3000;
	add_line(p, "b.c", 7, "	x++;");
	add_line(p, "a.c", 9, "of the first");
	return p;
}

static struct profile *second(void)
{
	struct profile *p = zones_only_profile();

	p->started_unix_ns = 1000;
	p->hz = 49;
	add_line(p, "a.c", 9, "of the second");
	add_line(p, "a.c", 8, "int a;");
	profile_set_run(p, RUN_COMMAND, "another");
	return p;
}

/* A process under @command, by which it is known at the end of a capture or window. */
static void add_process(struct profile *p, uint32_t pid, const char *command, enum process_end end)
{
	const struct process row = {.pid = pid,
				    .parent = 7,
				    .exec_ns = 5,
				    .end_ns = end == PROCESS_LIVES ? 0 : 90,
				    .end = (uint8_t)end,
				    .status = end == PROCESS_KILLED ? 9 : 0,
				    .command = intern_add(&p->strings, command),
				    .command_bytes = strlen(command) + 1};

	profile_process(p, &row);
}

static struct profile *third(void)
{
	struct profile *p = small_waits();

	add_process(p, 4711, "server -v", PROCESS_LIVES);
	add_process(p, 4712, "client", PROCESS_KILLED);

	p->started_unix_ns = 2000;
	p->samples.at[1].wait_ns = 4711;
	add_line(p, "b.c", 7, "	x++;");
	add_line(p, "a.c", 9, "of the first");
	vec_push(&p->thread_waits, ((struct thread_wait){1, 5, 6, 7, 8, 9, 10, 11, 12, 13}));
	vec_push(&p->blockers, ((struct blocker){.thread = 1,
						 .by = BLOCKER_RAN,
						 .pid = 81,
						 .tid = 82,
						 .name = intern_add(&p->strings, "hog"),
						 .ns = 7}));
	vec_push(&p->run_queues, ((struct run_queue){3, 64, 65, 4}));
	profile_add_part(p, PART_SYSCALLS);
	vec_push(&p->syscalls, ((struct syscall_sum){1, intern_add(&p->strings, "read"), 11, 5, 1,
						     900, 500, 1, 20}));
	profile_add_part(p, PART_GROWTH);
	vec_push(&p->memory_changes,
		 ((struct memory_change){MEMORY_SHRANK, intern_add(&p->strings, "munmap"), -4096, 0,
					 -8192, 4096}));
	vec_push(&p->memory_levels,
		 ((struct memory_level){100, 81, 4096, 0, 0, 0, 8192, 1 << 20, 2, 1}));
	vec_push(&p->memory_before,
		 ((struct memory_before){81, BEFORE_HEAP, intern_add(&p->strings, "hog"), 8192,
					 4096, 3, 1}));
	profile_add_part(p, PART_HEAP);
	vec_push(&p->heap_bins, ((struct heap_bin){HEAP_SIZES, 6, 3, 300}));
	profile_add_part(p, PART_EVENTS);
	vec_push(&p->events, ((struct timed_event){.time_ns = 100,
						   .thread = 1,
						   .coroutine = 5,
						   .event = EVENT_CALL,
						   .value1 = INT64_MIN}));
	vec_push(&p->events, ((struct timed_event){.time_ns = 100,
						   .thread = 1,
						   .coroutine = 5,
						   .event = EVENT_RETURN,
						   .value1 = -1}));
	vec_push(&p->windows, ((struct window){0, 400, 99}));
	vec_push(&p->windows, ((struct window){400, 1000, 199}));
	return p;
}

#define A                       \
	{                       \
		"a.h5", first() \
	}
#define B                        \
	{                        \
		"b.h5", second() \
	}
#define C                       \
	{                       \
		"c.h5", third() \
	}

/* --- order and grouping --------------------------------------------------------------------- */

static void any_order_is_the_same_file(void **state)
{
	(void)state;
	assert_same(MERGE(A, B), MERGE(B, A));
	assert_same(MERGE(A, B, C), MERGE(C, B, A));
	assert_same(MERGE(A, B, C), MERGE(B, A, C));
}

static void any_grouping_is_the_same_file(void **state)
{
	(void)state;
	assert_same(MERGE({"ab.h5", MERGE(A, B)}, C), MERGE(A, {"bc.h5", MERGE(B, C)}));
	assert_same(MERGE({"ab.h5", MERGE(A, B)}, C), MERGE(A, B, C));
	assert_same(MERGE({"ac.h5", MERGE(C, A)}, B), MERGE(A, B, C));
}

static void one_alone_keeps_its_counts(void **state)
{
	struct profile *was = first(), *p = MERGE(A);

	(void)state;
	assert_int_equal(p->samples.n, was->samples.n);
	assert_int_equal(p->nodes.n, was->nodes.n);
	assert_int_equal(p->threads.n, was->threads.n);
	assert_int_equal(p->zones.n, was->zones.n);
	assert_int_equal(p->zone_edges.n, was->zone_edges.n);
	assert_int_equal(p->duration_ns, was->duration_ns);
	assert_int_equal(p->ledger.n, was->ledger.n);
	assert_true(p->hz == was->hz);
	profile_free(was);
	profile_free(p);
}

/* --- what is added -------------------------------------------------------------------------- */

static void samples_stand_one_capture_behind_the_other(void **state)
{
	struct profile *late = small_profile(), *p;

	(void)state;
	late->started_unix_ns++;
	p = MERGE({"late.h5", late}, {"early.h5", small_profile()});
	assert_int_equal(p->duration_ns, 2000);
	assert_int_equal(p->samples.n, 12);
	assert_int_equal(metric_sum(p, 0), 2 * 43);
	for (size_t i = 1; i < 12; i++)
		assert_true(p->samples.at[i - 1].time_ns <= p->samples.at[i].time_ns);
	assert_int_equal(p->samples.at[6].time_ns, 1100);
	assert_int_equal(p->origins.n, 2);
	assert_string_equal(profile_text(p, p->origins.at[0].file), "early.h5");
	assert_string_equal(profile_text(p, p->origins.at[1].file), "late.h5");
	assert_int_equal(p->windows.n, 2);
	assert_int_equal(p->windows.at[1].t0_ns, 1000);
	assert_int_equal(p->windows.at[1].t1_ns, 2000);
	assert_non_null(strstr(profile_run(p, RUN_MERGED), "2: early.h5 (v1.2.0+dirty, 2023-"));
	/* The same threads, stacks and rows of the ledger, once. */
	assert_int_equal(p->threads.n, 3);
	assert_int_equal(p->ledger.n, 3);
	assert_int_equal(p->ledger.at[0].count, 12);
	assert_int_equal(p->ledger.at[2].count, 2);
	assert_true(profile_cost_of(p, "BPF run time") == 3e6);
	profile_free(p);
}

static void shares_are_means_by_time_and_prices_the_greatest(void **state)
{
	struct profile *a = small_profile(), *b = small_profile(), *p;

	(void)state;
	b->duration_ns = 3000;
	profile_cost(a, COST_SLOWDOWN "all", "%", 8);
	profile_cost(b, COST_SLOWDOWN "all", "%", 4);
	profile_cost(a, COST_SLOWDOWN "some", "%", 8);
	profile_price(a, COST_INTERRUPT "cpu-clock", "ns", 700);
	profile_price(b, COST_INTERRUPT "cpu-clock", "ns", 900);
	profile_cost(a, "eprof peak memory", "bytes", 70);
	profile_cost(b, "eprof peak memory", "bytes", 50);
	p = MERGE({"a", a}, {"b", b});
	assert_true(profile_cost_of(p, COST_SLOWDOWN "all") == 5);
	assert_true(profile_cost_of(p, COST_SLOWDOWN "some") == 2);
	assert_true(profile_cost_of(p, COST_INTERRUPT "cpu-clock") == 900);
	assert_true(profile_cost_of(p, "eprof peak memory") == 70);
	profile_free(p);
}

static const struct zone *zone_named(const struct profile *p, const char *name)
{
	for (size_t i = 0; i < p->zones.n; i++)
		if (!strcmp(profile_text(p, p->zones.at[i].name), name))
			return &p->zones.at[i];
	fail_msg("no zone %s", name);
	return NULL;
}

static void zones_add_up_with_their_spread(void **state)
{
	struct profile *a = first(), *b = first(), *p;
	struct zone *step = &b->zones.at[Z_STEP];
	const struct zone *z;

	(void)state;
	/* In the other capture 100 calls of 90 and 110 ms, each half of them. */
	zone_halves(step, 100, 90000000, 110000000, 5000000, 9000000);
	b->zones.at[Z_FIND].flags &= (uint8_t)~ZONE_COMPENSATED;
	p = MERGE({"a", a}, {"b", b});
	z = zone_named(p, "sqlite3_step");
	assert_int_equal(z->counts, 200);
	assert_int_equal(z->total_ns, 16000000000);
	assert_int_equal(z->mean_ns, 80000000);
	assert_int_equal(z->min_ns, 50000000);
	assert_int_equal(z->max_ns, 110000000);
	/* Of 50 each of 50, 70, 90 and 110 ms: squares of deviations 900, 100, 100, 900. */
	assert_true(z->m2 == 50 * 2000e12);
	assert_true(fabs(z->std_ns - sqrt(50 * 2000e12 / 199)) < 1e-6);
	assert_int_equal(z->self_max_ns, 9000000);
	assert_true(z->total_perc == 100. * 16 / 20);
	assert_true(z->flags & ZONE_COMPENSATED);
	assert_int_equal(zone_named(p, "memcpy")->counts, 2 * ZONE_MANY);
	/* What one of them does not have without the probes, the sum has not. */
	assert_false(zone_named(p, ZONE_FIND)->flags & ZONE_COMPENSATED);
	assert_int_equal(zone_named(p, ZONE_FIND)->comp_total_ns, 0);
	assert_int_equal(p->zone_edges.n, E_WAIT + 1);
	assert_int_equal(p->zone_values.n, 1);
	assert_int_equal(p->zone_values.at[0].value, 6000000000);
	profile_free(p);
}

static void histograms_are_joined(void **state)
{
	struct profile *p = MERGE(A, A);
	const struct zone *z = zone_named(p, "pread64");
	uint64_t calls = 0;

	(void)state;
	for (size_t i = 0; i < p->zone_hist.n; i++)
		if (&p->zones.at[p->zone_hist.at[i].zone] == z)
			calls += p->zone_hist.at[i].count;
	assert_int_equal(calls, 400);
	assert_int_equal(z->p99_ns, 5000000);
	assert_int_equal(z->p999_ns, 5000000);
	assert_in_range(z->p50_ns, 2960000, 3040000);
	profile_free(p);
}

/* One row a process. Of captures that differ, what both say, or the first command line. */
static void processes_are_one(void **state)
{
	struct profile *other = third();
	struct profile *p;

	(void)state;
	other->started_unix_ns = 9000;
	other->processes.at[0].command = intern_add(&other->strings, "server: a title");
	other->processes.at[1].end_ns = 80;
	p = merge_chosen((struct merge_choice){0}, INPUTS(C, {"d.h5", other}));
	assert_int_equal(p->processes.n, 2);
	for (size_t i = 0; i < 2; i++) {
		const struct process *e = &p->processes.at[i];
		const bool server = e->pid == 4711;
		_free_ char *command = process_command(p, e);

		assert_int_equal(e->parent, 7);
		assert_int_equal(e->exec_ns, 5);
		assert_int_equal(e->end, server ? PROCESS_LIVES : PROCESS_KILLED);
		assert_int_equal(e->status, server ? 0 : 9);
		assert_int_equal(e->end_ns, 0);
		assert_string_equal(command, server ? "server -v" : "client");
	}
	profile_free(p);
}

static void waits_add_up(void **state)
{
	struct profile *p = MERGE(C, C);

	(void)state;
	assert_int_equal(p->thread_waits.n, 1);
	assert_int_equal(p->thread_waits.at[0].on_ns, 10);
	assert_int_equal(p->thread_waits.at[0].involuntary, 20);
	assert_int_equal(p->blockers.n, 1);
	assert_int_equal(p->blockers.at[0].tid, 82);
	assert_int_equal(p->blockers.at[0].ns, 14);
	assert_string_equal(profile_text(p, p->blockers.at[0].name), "hog");
	assert_int_equal(p->run_queues.n, 1);
	assert_int_equal(p->run_queues.at[0].waits, 8);
	assert_int_equal(p->syscalls.n, 1);
	assert_int_equal(p->syscalls.at[0].calls, 10);
	assert_int_equal(p->syscalls.at[0].total_ns, 1800);
	assert_int_equal(p->syscalls.at[0].most_ns, 500);
	assert_int_equal(p->memory_changes.n, 1);
	assert_int_equal(p->memory_changes.at[0].anonymous, -8192);
	assert_int_equal(memory_resident(&p->memory_changes.at[0]), -24576);
	assert_int_equal(p->memory_levels.n, 2);
	assert_int_equal(p->memory_levels.at[1].time_ns, 1100);
	assert_int_equal(p->memory_levels.at[1].oom_kills, 2);
	assert_int_equal(p->events.n, 4);
	assert_int_equal(p->events.at[0].event, EVENT_CALL);
	assert_int_equal(p->events.at[1].event, EVENT_RETURN);
	assert_int_equal(p->events.at[2].time_ns, 1100);
	assert_int_equal(p->events.at[2].value1, INT64_MIN);
	assert_int_equal(p->events.at[3].coroutine, 5);
	assert_int_equal(p->memory_before.n, 1);
	assert_int_equal(p->memory_before.at[0].bytes, 8192);
	assert_string_equal(profile_text(p, p->memory_before.at[0].name), "hog");
	assert_int_equal(p->heap_bins.n, 1);
	assert_int_equal(p->heap_bins.at[0].blocks, 6);
	assert_int_equal(p->heap_bins.at[0].bytes, 600);
	assert_int_equal(p->reasons.n, 5);
	assert_int_equal(p->samples.at[1].wait_ns, 4711);
	assert_int_equal(p->samples.at[7].wait_ns, 4711);
	assert_true(profile_has(p, PART_OFFCPU));
	assert_int_equal(p->windows.n, 4);
	assert_int_equal(p->windows.at[3].t0_ns, 1400);
	assert_true(p->windows.at[3].hz == 199);
	profile_free(p);
}

static void source_lines_are_those_of_all(void **state)
{
	struct profile *p = MERGE(A, B, C);

	(void)state;
	assert_true(profile_has(p, PART_SOURCE));
	assert_int_equal(p->source_lines.n, 3);
	assert_string_equal(profile_text(p, p->source_lines.at[0].text), "int a;");
	assert_string_equal(profile_text(p, p->source_lines.at[1].file), "a.c");
	assert_int_equal(p->source_lines.at[1].line, 9);
	assert_string_equal(profile_text(p, p->source_lines.at[1].text), SOURCE_DIFFERS);
	assert_string_equal(profile_text(p, p->source_lines.at[2].text), "	x++;");
	profile_free(p);
}

/* --- what is the same ----------------------------------------------------------------------- */

static struct profile *of_build(const char *build, bool named)
{
	struct profile *p = profile_new();
	struct function f = {.module = profile_module(p, "/bin/app", build),
			     .name = intern_add(&p->strings, named ? "main" : "app+0x10"),
			     .named = named};
	uint32_t node;

	profile_metric(p, "cpu-clock", "ns", METRIC_SUM);
	small_thread(p, 1, 1, "app", "app");
	node = profile_node(p, 0,
			    profile_frame(p, &(struct frame){.function = profile_function(p, &f)}));
	profile_sample(p, 0, 0, node, (const int64_t[]){5});
	p->duration_ns = 10;
	return p;
}

static void a_name_is_the_same_in_every_build(void **state)
{
	struct profile *p = MERGE({"1", of_build("aa", true)}, {"2", of_build("bb", true)});

	(void)state;
	assert_int_equal(p->functions.n, 2);
	assert_int_equal(p->nodes.n, 2);
	assert_string_equal(profile_text(p, p->modules.at[1].build_id), "");
	profile_free(p);
	p = MERGE({"1", of_build("aa", true)}, {"2", of_build("aa", true)});
	assert_int_equal(p->functions.n, 2);
	assert_string_equal(profile_text(p, p->modules.at[1].build_id), "aa");
	profile_free(p);
}

static void an_offset_is_of_its_build_alone(void **state)
{
	struct profile *p = MERGE({"1", of_build("aa", false)}, {"2", of_build("bb", false)});

	(void)state;
	assert_int_equal(p->functions.n, 3);
	assert_int_equal(p->nodes.n, 3);
	profile_free(p);
}

static void metrics_stand_side_by_side(void **state)
{
	struct profile *a = profile_new(), *p;

	(void)state;
	profile_metric(a, "faults", "events", METRIC_COUNT);
	profile_metric(a, "a-clock", "ns", METRIC_SUM);
	small_thread(a, 10, 10, "main", "prog");
	profile_sample(a, 1, 0, small_node(a, "main"), (const int64_t[]){3, 4});
	a->duration_ns = 10;
	p = MERGE({"small", small_profile()}, {"a", a});
	assert_int_equal(p->metrics.n, 3);
	assert_string_equal(profile_text(p, p->metrics.at[0].name), "a-clock");
	assert_string_equal(profile_text(p, p->metrics.at[1].name), "cpu-clock");
	assert_int_equal(metric_sum(p, 0), 4);
	assert_int_equal(metric_sum(p, 1), 43);
	assert_int_equal(metric_sum(p, 2), 6 + 3);
	/* The ledger's rows went with their metric. */
	assert_int_equal(p->ledger.at[0].metric, 1);
	profile_free(p);
}

static void threads_are_apart_where_they_differ(void **state)
{
	struct profile *a = small_profile(), *b = small_profile(), *p;

	(void)state;
	b->threads.at[0].pid = 11;
	b->threads.at[1].start_ns = 5;
	b->threads.at[2].process = intern_add(&b->strings, "a-make");
	p = MERGE({"a", a}, {"b", b});
	assert_int_equal(p->threads.n, 5);
	assert_string_equal(profile_text(p, p->threads.at[4].process), "a-make");
	profile_free(p);
}

static void zones_alike_in_one_profile_stay_apart(void **state)
{
	struct profile *a[2], *p;

	(void)state;
	for (int i = 0; i < 2; i++) {
		a[i] = zones_none_profile();
		for (uint64_t n = 1; n <= 2; n++)
			profile_zone(a[i],
				     &(struct zone){.name = intern_add(&a[i]->strings, "twin"),
						    .counts = n,
						    .untimed = n});
	}
	p = MERGE({"a", a[0]}, {"b", a[1]});
	assert_int_equal(p->zones.n, 2);
	assert_int_equal(p->zones.at[0].counts, 2);
	assert_int_equal(p->zones.at[1].counts, 4);
	profile_free(p);
}

static void what_differs_says_so(void **state)
{
	struct profile *p = MERGE(A, B);

	(void)state;
	assert_string_equal(profile_run(p, RUN_COMMAND), "several commands");
	assert_true(p->hz == 0);
	assert_string_equal(profile_run(p, RUN_CLOCK), "wall");
	assert_int_equal(p->started_unix_ns, 1000);
	profile_free(p);
}

/* --- what is refused ------------------------------------------------------------------------ */

static void other_clocks_are_refused(void **state)
{
	struct profile *a = first(), *b = first(), *p = NULL;

	(void)state;
	profile_set_run(b, RUN_CLOCK, "cpu");
	assert_int_equal(try_merge(&(struct merge_choice){0}, INPUTS({"a.h5", a}, {"b.h5", b}), &p),
			 -EINVAL);
	assert_string_equal(err_text(),
			    "the zones of 'a.h5' have the clock 'wall', those of "
			    "'b.h5' 'cpu': their times cannot be added; merge them apart");
}

static void sums_past_the_range_are_refused(void **state)
{
	struct profile *a[2], *p = NULL;

	(void)state;
	for (int i = 0; i < 2; i++) {
		a[i] = zones_none_profile();
		profile_zone(a[i], &(struct zone){.total_ns = INT64_MAX});
	}
	assert_int_equal(try_merge(&(struct merge_choice){0}, INPUTS({"a", a[0]}, {"b", a[1]}), &p),
			 -ERANGE);
	assert_non_null(strstr(err_text(), "with 'b' a sum is past 2^63"));
	for (int i = 0; i < 2; i++) {
		a[i] = small_profile();
		a[i]->samples.values.at[0].at[0] = INT64_MAX / 2;
	}
	assert_int_equal(try_merge(&(struct merge_choice){0}, INPUTS({"a", a[0]}, {"b", a[1]}), &p),
			 -ERANGE);
	for (int i = 0; i < 2; i++) {
		a[i] = small_profile();
		a[i]->duration_ns = INT64_MAX;
	}
	assert_int_equal(try_merge(&(struct merge_choice){0}, INPUTS({"a", a[0]}, {"b", a[1]}), &p),
			 -ERANGE);
}

/* --- a choice ------------------------------------------------------------------------------- */

static void times_are_cut_out_of_each_profile(void **state)
{
	struct profile *p = merge_chosen((struct merge_choice){.from_ns = 200, .to_ns = 400},
					 INPUTS({"a", small_profile()}, C));

	(void)state;
	assert_int_equal(p->duration_ns, 400);
	assert_int_equal(p->samples.n, 4);
	assert_int_equal(metric_sum(p, 0), 50);
	assert_int_equal(p->samples.at[0].time_ns, 0);
	assert_int_equal(p->samples.at[3].time_ns, 300);
	assert_int_equal(p->origins.at[0].started_unix_ns, 2200);
	assert_int_equal(p->windows.n, 2);
	assert_int_equal(p->windows.at[0].t1_ns, 200);
	/* 5 kept of each had a value; 2 are left. They are taken no longer, but apart. */
	assert_int_equal(p->ledger.at[0].count, 6);
	assert_int_equal(p->ledger.at[1].count, 4);
	assert_int_equal(p->ledger.at[2].count, 2);
	assert_string_equal(profile_text(p, p->ledger.at[3].name), MERGE_LEFT_OUT);
	assert_int_equal(p->ledger.at[3].count, 6);
	assert_int_equal(p->thread_waits.n, 0);
	/* Stacks that nothing is left of are gone. */
	assert_int_equal(p->nodes.n, 5);
	profile_free(p);
}

static void the_last_span_of_each(void **state)
{
	struct profile *p = merge_chosen((struct merge_choice){.recent_ns = 500},
					 INPUTS({"a", small_profile()}));

	(void)state;
	assert_int_equal(p->duration_ns, 500);
	assert_int_equal(p->samples.n, 2);
	profile_free(p);
}

static void a_key_is_a_thread_or_a_process(void **state)
{
	const struct {
		const char *key;
		size_t samples;
	} of[] = {{"worker", 1}, {"prog", 4}, {"20", 2}, {"10", 4}, {"{wo", 0}};

	(void)state;
	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
		struct profile *p = NULL;
		int rc = try_merge(&(struct merge_choice){.key = of[i].key},
				   INPUTS({"a", small_profile()}), &p);

		assert_int_equal(rc, of[i].samples ? 0 : -ENOENT);
		if (!rc)
			assert_int_equal(p->samples.n, of[i].samples);
		profile_free(p);
	}
}

static void times_in_a_merged_profile_are_on_its_axis(void **state)
{
	struct profile *late = small_profile(), *p;

	(void)state;
	late->started_unix_ns += 5000;
	p = MERGE({"early", small_profile()}, {"late", late});
	p = merge_chosen((struct merge_choice){.from_ns = 500, .to_ns = 1200}, INPUTS({"both", p}));
	assert_int_equal(p->origins.n, 2);
	assert_string_equal(profile_text(p, p->origins.at[0].file), "early");
	assert_int_equal(p->origins.at[0].duration_ns, 500);
	assert_int_equal(p->origins.at[1].duration_ns, 200);
	assert_int_equal(p->samples.n, 3);
	assert_int_equal(p->samples.at[2].time_ns, 600);
	profile_free(p);
	p = NULL;
	assert_int_equal(try_merge(&(struct merge_choice){.from_ns = 2000},
				   INPUTS({"a", small_profile()}), &p),
			 -ENOENT);
}

/* --- no table is forgotten ------------------------------------------------------------------ */

/* Those of the whole are in no sum: test_kept.c. */
static void every_table_is_merged(void **state)
{
	struct profile *p = MERGE(A, C);

	(void)state;
	for (const struct table_place *t = profile_tables; t->table; t++)
		if (t->table->rows != ROWS_STATE && !table_vec(t, p)->n)
			fail_msg("nothing of the table %s is merged, or the test has none",
				 t->table->name);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_order_is_the_same_file),
		cmocka_unit_test(any_grouping_is_the_same_file),
		cmocka_unit_test(one_alone_keeps_its_counts),
		cmocka_unit_test(samples_stand_one_capture_behind_the_other),
		cmocka_unit_test(shares_are_means_by_time_and_prices_the_greatest),
		cmocka_unit_test(zones_add_up_with_their_spread),
		cmocka_unit_test(histograms_are_joined),
		cmocka_unit_test(processes_are_one),
		cmocka_unit_test(waits_add_up),
		cmocka_unit_test(source_lines_are_those_of_all),
		cmocka_unit_test(a_name_is_the_same_in_every_build),
		cmocka_unit_test(an_offset_is_of_its_build_alone),
		cmocka_unit_test(metrics_stand_side_by_side),
		cmocka_unit_test(threads_are_apart_where_they_differ),
		cmocka_unit_test(zones_alike_in_one_profile_stay_apart),
		cmocka_unit_test(what_differs_says_so),
		cmocka_unit_test(other_clocks_are_refused),
		cmocka_unit_test(sums_past_the_range_are_refused),
		cmocka_unit_test(times_are_cut_out_of_each_profile),
		cmocka_unit_test(the_last_span_of_each),
		cmocka_unit_test(a_key_is_a_thread_or_a_process),
		cmocka_unit_test(times_in_a_merged_profile_are_on_its_axis),
		cmocka_unit_test(every_table_is_merged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
