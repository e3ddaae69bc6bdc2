/* The windows of one capture, put together: in memory, and from one file. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>

#include "base/err.h"
#include "model/splice.h"
#include "model/waits.h"
#include "query/tree.h"
#include "small_profile.h"
#include "store/store.h"
#include "temp_folder.h"

/* A window [@t0, @t1) with a metric and nothing else. */
static struct profile *window(uint64_t t0, uint64_t t1)
{
	struct profile *p = profile_new();

	profile_metric(p, "cpu-clock", "ns", METRIC_SUM);
	vec_push(&p->windows, ((struct window){t0, t1, 99}));
	p->duration_ns = (int64_t)(t1 - t0);
	return p;
}

static void ledger(struct profile *p, int64_t kept)
{
	profile_ledger(p, 0, LEDGER_TAKEN, "taken", kept);
	profile_ledger(p, 0, LEDGER_KEPT, "kept", kept);
}

/* Thread 10 of "sh", which calls exec in the second one; 11 comes and goes. */
static struct profile *first(void)
{
	struct profile *p = window(0, 100);

	small_thread(p, 11, 11, "true", "true");
	small_thread(p, 10, 10, "sh", "sh");
	small_sample(p, 10, 1, "main;a", 1);
	small_sample(p, 20, 0, "main;b", 2);
	ledger(p, 2);
	profile_set_run(p, "end", "still running");
	return p;
}

static struct profile *second(void)
{
	struct profile *p = window(100, 250);
	uint32_t exec = small_thread(p, 10, 10, "ls", "ls");

	small_thread(p, 10, 10, "sh", "ls");
	p->threads.at[exec].start_ns = 150;
	small_sample(p, 110, 1, "main;b", 4);
	small_sample(p, 160, exec, "main;a", 8);
	ledger(p, 4);
	profile_cost(p, "BPF runs", "events", 4);
	profile_set_run(p, "end", "ended");
	return p;
}

static struct profile *splice(struct profile *a, struct profile *b)
{
	struct profile *p;
	struct splice s;

	splice_init(&s);
	assert_int_equal(splice_add(&s, a), 0);
	assert_int_equal(splice_add(&s, b), 0);
	p = splice_finish(&s);
	profile_free(a);
	profile_free(b);
	return p;
}

static void assert_whole(const struct profile *p, int64_t kept)
{
	assert_int_equal(profile_check(p), 0);
	assert_int_equal(p->windows.n, 2);
	assert_int_equal(p->windows.at[1].t0_ns, 100);
	assert_true(p->windows.at[1].hz == 99);
	assert_int_equal(p->duration_ns, 250);
	assert_int_equal(p->samples.n, 4);
	assert_int_equal(p->samples.values.at[0].at[3], 8);
	/* Each of them once: main, and a and b below it. */
	assert_int_equal(p->nodes.n, 4);
	assert_int_equal(p->samples.at[0].node, p->samples.at[3].node);
	assert_int_equal(p->samples.at[1].node, p->samples.at[2].node);
	assert_int_equal(p->ledger.n, 2);
	assert_int_equal(p->ledger.at[0].count, kept);
	assert_int_equal(p->cost.n, 1);
	assert_string_equal(profile_run(p, "end"), "ended");
}

static void windows_become_one_profile(void **state)
{
	struct profile *p = splice(first(), second());

	(void)state;
	assert_whole(p, 6);
	profile_free(p);
}

/* A window of an older file says of the ledger and of its length what they had become by then. */
static void windows_that_ran_on_become_one_profile(void **state)
{
	struct profile *a = first(), *b = second(), *p;

	(void)state;
	b->duration_ns = 250;
	a->running = b->running = true;
	p = splice(a, b);
	assert_whole(p, 4);
	profile_free(p);
}

static void a_thread_is_found_again(void **state)
{
	struct profile *p = splice(first(), second());

	(void)state;
	assert_int_equal(p->threads.n, 3);
	assert_int_equal(p->samples.at[0].thread, p->samples.at[2].thread);
	assert_int_not_equal(p->samples.at[3].thread, p->samples.at[2].thread);
	/* Its process has the name that it had last; that of another process is its own. */
	for (size_t i = 0; i < p->threads.n; i++)
		assert_string_equal(profile_text(p, p->threads.at[i].process),
				    p->threads.at[i].pid == 10 ? "ls" : "true");
	profile_free(p);
}

/* The pid comes again: it is no name of the one before. */
static void a_pid_that_comes_again_is_another_process(void **state)
{
	struct profile *a = window(0, 100), *b = window(100, 200), *p;

	(void)state;
	small_thread(a, 30, 30, "cat", "cat");
	small_thread(b, 30, 30, "dog", "dog");
	a->threads.at[0].born_ns = a->threads.at[0].start_ns = 5;
	b->threads.at[0].born_ns = b->threads.at[0].start_ns = 105;
	p = splice(a, b);
	assert_int_equal(p->threads.n, 2);
	assert_string_equal(profile_text(p, p->threads.at[0].process), "cat");
	assert_string_equal(profile_text(p, p->threads.at[1].process), "dog");
	profile_free(p);
}

/* Each once, by what they say: their numbers differ from window to window. */
static void reasons_are_found_again(void **state)
{
	struct profile *a = first(), *b = second(), *p;

	(void)state;
	small_reason(a, 0, REASON_LOCK, 'S', "futex", "app:lock");
	small_reason(a, 1, REASON_PIPE, 'S', "read", "pipe:[1]");
	small_reason(b, 0, REASON_PIPE, 'S', "read", "pipe:[1]");
	p = splice(a, b);
	assert_int_equal(profile_check(p), 0);
	assert_int_equal(p->reasons.n, 3);
	assert_int_equal(p->samples.at[1].reason, p->samples.at[2].reason);
	assert_int_equal(p->samples.at[3].reason, 0);
	assert_string_equal(profile_text(p, p->reasons.at[p->samples.at[2].reason].object),
			    "pipe:[1]");
	profile_free(p);
}

static uint32_t zone(struct profile *p, const char *name)
{
	const struct zone z = {.name = intern_add(&p->strings, name)};

	return profile_zone(p, &z);
}

/* In the second window the kernel's places come in another order, for a call was seen meanwhile
 * whose place had been made before. */
static void splice_zones(bool running)
{
	struct profile *a = window(0, 100), *b = window(100, 200), *p;
	uint32_t edge;

	small_thread(a, 1, 1, "x", "x");
	small_thread(b, 1, 1, "x", "x");
	zone(a, "outer");
	zone(a, "inner");
	zone(b, "outer");
	zone(b, "inner");
	small_sample(a, 10, 0, "main", 1);
	a->samples.at[0].zone = profile_zone_edge(a, profile_zone_edge(a, 0, 0), 1);
	small_sample(b, 110, 0, "main", 1);
	profile_zone_edge(b, 0, 1);
	edge = profile_zone_edge(b, profile_zone_edge(b, 0, 0), 1);
	b->zone_edges.at[edge].counts = 7;
	b->samples.at[0].zone = edge;
	a->running = b->running = running;
	p = splice(a, b);
	assert_int_equal(profile_check(p), 0);
	assert_int_equal(p->zones.n, 2);
	edge = p->samples.at[0].zone;
	assert_int_equal(p->samples.at[1].zone, edge);
	assert_int_equal(p->zone_edges.at[edge].counts, 7);
	assert_string_equal(profile_text(p, p->zones.at[p->zone_edges.at[edge].zone].name),
			    "inner");
	profile_free(p);
}

static void samples_stay_in_their_zones(void **state)
{
	(void)state;
	splice_zones(true);
	splice_zones(false);
}

static void other_captures_are_refused(void **state)
{
	struct profile *a = first(), *b = profile_new();
	struct splice s;

	(void)state;
	profile_metric(b, "page-faults", "events", METRIC_COUNT);
	splice_init(&s);
	assert_int_equal(splice_add(&s, a), 0);
	assert_int_not_equal(splice_add(&s, b), 0);
	splice_release(&s);
	profile_free(a);
	profile_free(b);
}

/* So is one beside a profile that says nothing of windows: what it measured counts. */
static void other_metrics_are_refused_without_windows_too(void **state)
{
	struct profile *a = profile_new(), *b = profile_new();
	struct splice s;

	(void)state;
	profile_metric(a, "cpu-clock", "ns", METRIC_SUM);
	profile_metric(b, "page-faults", "events", METRIC_COUNT);
	splice_init(&s);
	assert_int_equal(splice_add(&s, a), 0);
	assert_int_not_equal(splice_add(&s, b), 0);
	assert_string_equal(profile_text(s.p, s.p->metrics.at[0].name), "cpu-clock");
	splice_release(&s);
	profile_free(a);
	profile_free(b);
}

/* What looks names up by function finds those of earlier windows. */
static void functions_are_handed_on(void **state)
{
	struct profile *a = first(), *p = profile_new();
	struct splice s;

	(void)state;
	splice_init(&s);
	assert_int_equal(splice_add(&s, a), 0);
	splice_seed(&s, p);
	assert_int_equal(p->functions.n, a->functions.n);
	assert_string_equal(profile_text(p, p->functions.at[1].name), "main");
	assert_int_equal(p->nodes.n, 1);
	splice_release(&s);
	profile_free(a);
	profile_free(p);
}

/* --- in a file ------------------------------------------------------------------------------ */

static void append(const char *path, struct profile *p, size_t less)
{
	_free_ char *image = NULL;
	size_t n;
	FILE *f = fopen(path, "a");

	assert_non_null(f);
	assert_int_equal(store_image(p, &image, &n), 0);
	assert_int_equal(store_image_bytes(image, n), n);
	assert_int_equal(fwrite(image, 1, n - less, f), n - less);
	fclose(f);
	profile_free(p);
}

static void one_behind_the_other_is_one_profile(void **state)
{
	struct profile *p;

	(void)state;
	append("p.h5", first(), 0);
	append("p.h5", second(), 0);
	assert_int_equal(store_load("p.h5", NULL, &p), 0);
	assert_whole(p, 6);
	profile_free(p);
}

static void a_window_cut_short_is_left_out(void **state)
{
	static const size_t less[] = {1, 500, 2000};

	(void)state;
	for (size_t i = 0; i < sizeof(less) / sizeof(*less); i++) {
		struct profile *p;

		remove("p.h5");
		append("p.h5", first(), 0);
		append("p.h5", second(), less[i]);
		assert_int_equal(store_load("p.h5", NULL, &p), 0);
		assert_int_equal(p->samples.n, 2);
		assert_string_equal(profile_text(p, p->ledger.at[p->ledger.n - 1].name),
				    "a window not written whole, left out");
		profile_free(p);
	}
}

static void what_else_stands_behind_is_nothing(void **state)
{
	struct profile *p;
	FILE *f;

	(void)state;
	append("p.h5", first(), 0);
	f = fopen("p.h5", "a");
	for (int i = 0; i < 1000; i++)
		fputc(i, f);
	fclose(f);
	assert_int_equal(store_load("p.h5", NULL, &p), 0);
	assert_int_equal(p->samples.n, 2);
	assert_int_equal(p->ledger.n, 2);
	profile_free(p);
}

/* Each in the window in which its thread ended, under that window's number of the thread. */
static void totals_of_waits_keep_their_threads(void **state)
{
	struct profile *a = first(), *b = second(), *p;
	const struct thread_wait ended = {
		.thread = 0, .blocked_ns = 5, .runnable_ns = 6, .waits = 7};
	const struct thread_wait last = {
		.thread = 0, .blocked_ns = 8, .runnable_ns = 9, .waits = 1};

	(void)state;
	vec_push(&a->thread_waits, ended);
	vec_push(&b->thread_waits, last);
	p = splice(a, b);
	assert_whole(p, 6);
	assert_int_equal(p->thread_waits.n, 2);
	assert_int_equal(p->threads.at[p->thread_waits.at[0].thread].tid, 11);
	assert_int_equal(p->thread_waits.at[0].blocked_ns, 5);
	assert_int_equal(p->thread_waits.at[0].waits, 7);
	assert_string_equal(profile_text(p, p->threads.at[p->thread_waits.at[1].thread].name),
			    "ls");
	assert_int_equal(p->thread_waits.at[1].runnable_ns, 9);
	p->thread_waits.at[1].thread = (uint32_t)p->threads.n;
	assert_int_equal(profile_check(p), -EINVAL);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(totals_of_waits_keep_their_threads),
		cmocka_unit_test(windows_become_one_profile),
		cmocka_unit_test(windows_that_ran_on_become_one_profile),
		cmocka_unit_test(a_thread_is_found_again),
		cmocka_unit_test(reasons_are_found_again),
		cmocka_unit_test(a_pid_that_comes_again_is_another_process),
		cmocka_unit_test(samples_stay_in_their_zones),
		cmocka_unit_test(other_captures_are_refused),
		cmocka_unit_test(other_metrics_are_refused_without_windows_too),
		cmocka_unit_test(functions_are_handed_on),
		cmocka_unit_test_setup_teardown(one_behind_the_other_is_one_profile, enter_folder,
						leave_folder),
		cmocka_unit_test_setup_teardown(a_window_cut_short_is_left_out, enter_folder,
						leave_folder),
		cmocka_unit_test_setup_teardown(what_else_stands_behind_is_nothing, enter_folder,
						leave_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
