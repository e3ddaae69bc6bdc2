/* spread: how far sums of samples may be off; against literals, and against what sampling gives. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/meta.h"
#include "query/source_listing.h"
#include "query/spread.h"
#include "query/tree.h"
#include "small_profile.h"

#define HZ	  100
#define PERIOD_NS 10000000

/* Metrics blocked and runnable, thread 10/10 of "prog". */
static struct profile *waits_profile(void)
{
	struct profile *p = profile_new();

	profile_metric(p, METRIC_BLOCKED, "ns", METRIC_SUM);
	profile_metric(p, METRIC_RUNNABLE, "ns", METRIC_SUM);
	small_thread(p, 10, 10, "main", "prog");
	p->hz = HZ;
	return p;
}

/* A sample of a wait, of @hits periods. */
static void wait_sample(struct profile *p, uint32_t thread, const char *stack, double wait,
			int64_t hits, double runnable)
{
	const int64_t whole = hits * PERIOD_NS, part = (int64_t)(runnable * (double)whole);
	const int64_t values[] = {whole - part, part};

	profile_sample(p, 1, thread, small_node(p, stack), values);
	p->samples.at[p->samples.n - 1].wait_ns = (uint64_t)llround(wait * PERIOD_NS);
}

static void waited(struct profile *p, uint32_t thread, double periods)
{
	const struct thread_wait w = {.thread = thread, .blocked_ns = llround(periods * PERIOD_NS)};

	vec_push(&p->thread_waits, w);
}

/* The margin of @function in @metric, as standard deviation in periods. */
static double sigma_of(const struct profile *p, const char *metric, const char *function,
		       bool total)
{
	const struct selection sel = {.metric = metric};
	struct tree *t = NULL;
	const struct top *top;
	double margin = -1;

	assert_int_equal(tree_build(p, &sel, &t), 0);
	top = tree_functions(t);
	for (size_t i = 0; i < top->rows.n; i++)
		if (!strcmp(profile_text(p, p->functions.at[top->rows.at[i].function].name),
			    function))
			margin = total ? top->rows.at[i].total_margin : top->rows.at[i].self_margin;
	tree_free(t);
	return margin / SPREAD_SIGMAS / PERIOD_NS;
}

#define NEAR(value, wanted) assert_float_equal(value, wanted, 1e-4)

/* Waits of 0.25 periods in a and b, of 2.5 in c: c x^2 are 0.75, 0.75 and 0.25 of a period's
 * square, their sum 1.75; on top the number of hits. */
static void waits_of_one_thread(void **state)
{
	struct profile *p = waits_profile();

	(void)state;
	wait_sample(p, 0, "main;a", 0.25, 1, 0);
	wait_sample(p, 0, "main;b", 0.25, 1, 0);
	wait_sample(p, 0, "main;c", 2.5, 3, 0);
	waited(p, 0, 5.4);
	NEAR(sigma_of(p, "blocked", "a", false),
	     sqrt(0.75 - 0.75 * 0.75 / 1.75 + 0.75 / 1.75 * 0.75 / 1.75 / 4));
	NEAR(sigma_of(p, "blocked", "c", false),
	     sqrt(0.25 - 0.25 * 0.25 / 1.75 + 0.25 / 1.75 * 0.25 / 1.75 / 4));
	NEAR(sigma_of(p, "blocked", "main", true), 0.5);
	NEAR(sigma_of(p, "off-cpu", "main", true), 0.5);
	profile_free(p);
}

/* Of threads that wait for less than a period in all, few have a sample. */
static void waits_of_many_threads(void **state)
{
	struct profile *p = waits_profile();

	(void)state;
	for (uint32_t i = 1; i <= 9; i++) {
		small_thread(p, 10, 10 + i, "worker", "prog");
		wait_sample(p, i, "main;a", 0.25, 1, 0);
		waited(p, i, 0.25);
	}
	NEAR(sigma_of(p, "blocked", "a", false), 3 * sqrt(0.75));
	profile_free(p);
}

/* Half of the wait was for a CPU: what a hit is worth. */
static void parts_of_waits(void **state)
{
	struct profile *p = waits_profile();

	(void)state;
	wait_sample(p, 0, "main;a", 0.5, 1, 0.5);
	wait_sample(p, 0, "main;b", 0.5, 1, 0);
	waited(p, 0, 3.2);
	NEAR(sigma_of(p, "off-cpu", "main", true), 0.5);
	/* c is 0.5 each; x 0.5 and 1; their mean 0.75. */
	NEAR(sigma_of(p, "blocked", "main", true),
	     sqrt(0.5 * 0.0625 + 0.5 * 0.0625 + 0.75 * 0.75 / 4));
	profile_free(p);
}

static void long_waits_are_exact(void **state)
{
	struct profile *p = waits_profile();
	const int64_t values[] = {12345678, 0};

	(void)state;
	wait_sample(p, 0, "main;a", 4, 4, 0);
	NEAR(sigma_of(p, "blocked", "a", false), 0);
	/* --off-min: the weight is the wait. */
	profile_sample(p, 2, 0, small_node(p, "main;b"), values);
	p->samples.at[1].wait_ns = 12345678;
	NEAR(sigma_of(p, "blocked", "b", false), 0);
	profile_free(p);
}

/* Files without lengths, which have reasons. */
static void lengths_unknown(void **state)
{
	struct profile *p = waits_profile();

	(void)state;
	wait_sample(p, 0, "main;a", 0, 1, 0);
	wait_sample(p, 0, "main;b", 0, 7, 0);
	small_reason(p, 0, REASON_SLEEP, 'S', "", "");
	small_reason(p, 1, REASON_LOCK, 'S', "", "");
	NEAR(sigma_of(p, "blocked", "a", false), sqrt(1 - 1 / 1.25 + 1 / 1.25 / 1.25 / 4));
	NEAR(sigma_of(p, "blocked", "b", false), sqrt(0.25 - 0.0625 / 1.25 + 0.04 / 4));
	profile_free(p);
}

/* 100 samples of a timer, 20 of them in a, recursion counted once: binomial, and one sample that
 * there is or is not. */
static void shares_of_a_timer(void **state)
{
	struct profile *p = profile_new();
	struct line_rows lines;

	(void)state;
	profile_metric(p, "cpu-clock", "ns", METRIC_SUM);
	small_thread(p, 10, 10, "main", "prog");
	p->hz = HZ;
	for (int i = 0; i < 100; i++) {
		const int64_t value = PERIOD_NS;

		profile_sample(p, 1, 0, small_node(p, i < 20 ? "main;a;b;a" : "main;b"), &value);
	}
	NEAR(sigma_of(p, "cpu-clock", "a", false), sqrt(20 * 0.8 + 0.04 / 4));
	NEAR(sigma_of(p, "cpu-clock", "a", true), sqrt(20 * 0.8 + 0.04 / 4));
	NEAR(sigma_of(p, "cpu-clock", "main", true), 0.5);
	assert_int_equal(lines_build(p, &(struct selection){0}, &lines), 0);
	assert_int_equal(lines.rows.n, 2);
	NEAR(lines.rows.at[1].margin / SPREAD_SIGMAS / PERIOD_NS, sqrt(20 * 0.8 + 0.04 / 4));
	lines_release(&lines);
	profile_free(p);
}

static void counts_are_exact(void **state)
{
	struct profile *p = small_profile();

	(void)state;
	NEAR(sigma_of(p, "faults", "main", true), 0);
	profile_free(p);
}

/* Variances beside the values add up, and those of what is gone are subtracted; in a part of the
 * time they say what came and went. */
static void variances_add_up(void **state)
{
	const int64_t came[] = {100, 9 * (int64_t)1e14}, left[] = {-100, -9 * (int64_t)1e14},
		      more[] = {50, 16 * (int64_t)1e14};
	struct selection later = {.metric = "live", .from_ns = 5};
	struct profile *p = profile_new();
	double *margin;
	struct tree *t;

	(void)state;
	profile_metric(p, "live", "bytes", METRIC_SUM);
	p->metrics.at[0].course = COURSE_LEVEL;
	p->metrics.at[0].variance = intern_add(&p->strings, "live-variance");
	profile_metric(p, "live-variance", "bytes^2", METRIC_VARIANCE);
	small_thread(p, 10, 10, "main", "prog");
	p->duration_ns = 10;
	profile_sample(p, 1, 0, small_node(p, "main;a"), came);
	profile_sample(p, 2, 0, small_node(p, "main;b"), more);
	NEAR(sigma_of(p, "live", "a", false), 3);
	NEAR(sigma_of(p, "live", "main", true), 5);
	profile_sample(p, 6, 0, small_node(p, "main;a"), left);
	NEAR(sigma_of(p, "live", "a", false), 0);
	NEAR(sigma_of(p, "live", "main", true), 4);
	assert_int_equal(tree_build(p, &later, &t), 0);
	margin = tree_margins(t);
	NEAR(margin[0] / SPREAD_SIGMAS / PERIOD_NS, 3);
	free(margin);
	tree_free(t);
	profile_free(p);
}

/* More threads in deeper stacks than any program has: no answer, but soon. */
static void gives_up_on_endless_stacks(void **state)
{
	enum { DEPTH = 40000, THREADS = 4000 };
	struct profile *p = waits_profile();
	const int64_t values[] = {PERIOD_NS, 0};
	uint32_t node = 0;
	double sigma;

	(void)state;
	for (int i = 0; i < DEPTH; i++)
		node = profile_node(p, node, small_frame(p, "deep", 4));
	for (uint32_t i = 1; i <= THREADS; i++) {
		small_thread(p, 10, 10 + i, "worker", "prog");
		profile_sample(p, i, i, node, values);
		p->samples.at[i - 1].wait_ns = PERIOD_NS / 2;
	}
	sigma = sigma_of(p, "blocked", "deep", true);
	assert_true(isnan(sigma));
	NEAR(sigma_of(p, "blocked", "deep", false), sqrt(THREADS));
	profile_free(p);
}

/* --- against sampling --------------------------------------------------------------------------
 */

static double drawn(uint64_t *seed)
{
	*seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(*seed >> 11) / 9007199254740992.0;
}

#define PLACES	3
#define WAITS	300
#define REPEATS 400

/* As bpf/source/offcpu.bpf.c does: @since is what remained of the wait before, in periods. */
static int64_t hits_in(double *since, double wait)
{
	const double sum = *since + wait;

	*since = sum - floor(sum);
	return (int64_t)floor(sum);
}

/* One capture of a thread; per place the time that it waited there, in periods. */
static struct profile *captured(uint64_t *seed, double *truth)
{
	static const char *const stacks[PLACES] = {"main;short", "main;long", "main;rare"};
	static const double most[PLACES] = {0.4, 4, 0.9}, often[PLACES] = {0.7, 0.25, 0.05};
	struct profile *p = waits_profile();
	double since = drawn(seed), all = 0;

	memset(truth, 0, PLACES * sizeof(*truth));
	for (int i = 0; i < WAITS; i++) {
		const double which = drawn(seed);
		const int place = which < often[0] ? 0 : which < often[0] + often[1] ? 1 : 2;
		const double wait = most[place] * drawn(seed);
		const int64_t hits = hits_in(&since, wait);

		truth[place] += wait;
		all += wait;
		if (hits)
			wait_sample(p, 0, stacks[place], wait, hits, 0);
	}
	waited(p, 0, all);
	return p;
}

static double estimate(const struct profile *p, const char *function)
{
	int64_t sum = 0;

	for (size_t i = 0; i < p->samples.n; i++) {
		const struct node *n = &p->nodes.at[p->samples.at[i].node];
		const uint32_t leaf = p->frames.at[n->frame].function;

		if (!strcmp(profile_text(p, p->functions.at[leaf].name), function))
			sum += p->samples.values.at[0].at[i];
	}
	return (double)sum / PERIOD_NS;
}

/* The errors of many captures are as large as their margins say, and have no side. */
static void margins_are_what_sampling_gives(void **state)
{
	static const char *const functions[PLACES] = {"short", "long", "rare"};
	double squares[PLACES] = {0}, errors[PLACES] = {0}, said[PLACES] = {0}, truth[PLACES];
	uint64_t seed = 1;

	(void)state;
	for (int r = 0; r < REPEATS; r++) {
		struct profile *p = captured(&seed, truth);

		for (int i = 0; i < PLACES; i++) {
			const double error = estimate(p, functions[i]) - truth[i];
			const double sigma = sigma_of(p, "blocked", functions[i], false);

			errors[i] += error;
			squares[i] += error * error;
			said[i] += sigma > 0 ? sigma * sigma : 0;
		}
		profile_free(p);
	}
	for (int i = 0; i < PLACES; i++) {
		const double ratio = said[i] / squares[i];

		print_message("%s: errors %.2f periods, said %.2f\n", functions[i],
			      sqrt(squares[i] / REPEATS), sqrt(said[i] / REPEATS));
		assert_true(fabs(errors[i]) < 3.5 * sqrt(squares[i]));
		assert_true(ratio > 0.85 && ratio < 1.25);
	}
}

/* --- samples with weights ------------------------------------------------------------------------
 */

/* Page faults in a and b, of a page of 1 or 3 bytes, drawn with 1/@step each, or all; the sums are
 * made to be the true ones. */
static struct profile *faults_profile(uint64_t *seed, int step, int faults)
{
	struct profile *p = profile_new();
	const uint32_t growth = profile_metric(p, "growth", "bytes", METRIC_SUM);

	p->metrics.at[growth].ledger = intern_add(&p->strings, "faults");
	profile_metric(p, "faults", "faults", METRIC_COUNT);
	small_thread(p, 10, 10, "main", "prog");

	for (int i = 0; i < faults; i++) {
		/* The first half is drawn with another probability than the second. */
		const int n = i < faults / 2 ? step : 2 * step;
		const bool is_a = i % 3 == 0;
		const int64_t values[] = {(is_a ? 3 : 1) * n, n};

		if (drawn(seed) * n >= 1)
			continue;
		profile_sample(p, 1, 0, small_node(p, is_a ? "main;a" : "main;b"), values);
	}
	return p;
}

/* The sum of a's values, as a part of all, of what there truly was. */
static double share_of_a(const struct profile *p, uint32_t metric, double truth)
{
	double a = 0, all = 0;

	for (size_t i = 0; i < p->samples.n; i++) {
		const double value = (double)p->samples.values.at[metric].at[i];

		a += p->samples.at[i].node == small_node((struct profile *)p, "main;a") ? value : 0;
		all += value;
	}
	return a / all * truth;
}

static void margins_of_weighted_samples(void **state)
{
	static const struct {
		const char *name;
		double all, a;
	} of[] = {{"growth", 5000, 3000}, {"faults", 3000, 1000}};
	uint64_t seed = 4711;

	(void)state;
	for (uint32_t m = 0; m < 2; m++) {
		double squares = 0, said = 0;

		for (int r = 0; r < 400; r++) {

			struct profile *p = faults_profile(&seed, 10, 3000);
			const double error = share_of_a(p, m, of[m].all) - of[m].a;
			const double sigma = sigma_of(p, of[m].name, "a", false) * PERIOD_NS;

			squares += error * error;
			said += sigma * sigma;
			profile_free(p);
		}
		print_message("%s: errors %.1f, said %.1f\n", of[m].name, sqrt(squares / 400),
			      sqrt(said / 400));
		assert_true(said / squares > 0.75 && said / squares < 1.4);
	}
}

/* One that each event is in has no margin. */
static void all_drawn_is_exact(void **state)
{
	uint64_t seed = 1;

	struct profile *p = faults_profile(&seed, 1, 10);

	(void)state;
	for (size_t i = 0; i < p->samples.n; i++)
		p->samples.values.at[1].at[i] = 1;
	NEAR(sigma_of(p, "growth", "a", false), 0);
	NEAR(sigma_of(p, "faults", "a", false), 0);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waits_of_one_thread),
		cmocka_unit_test(waits_of_many_threads),
		cmocka_unit_test(parts_of_waits),
		cmocka_unit_test(long_waits_are_exact),
		cmocka_unit_test(lengths_unknown),
		cmocka_unit_test(shares_of_a_timer),
		cmocka_unit_test(counts_are_exact),
		cmocka_unit_test(variances_add_up),
		cmocka_unit_test(gives_up_on_endless_stacks),
		cmocka_unit_test(margins_are_what_sampling_gives),
		cmocka_unit_test(margins_of_weighted_samples),
		cmocka_unit_test(all_drawn_is_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
