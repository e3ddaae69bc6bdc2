/* model/measure: metrics of a profile and sums of them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "query/measure.h"
#include "model/meta.h"
#include "query/tree.h"
#include "small_profile.h"

static void add_metric(struct profile *p, const char *name, const char *base)
{
	profile_metric_base(p, profile_metric(p, name, "ns", METRIC_SUM), base);
}

/* Metrics of time off the CPU behind @clock; two samples of it and one wait of both kinds. */
static struct profile *wall_profile(const char *clock, const char *clock_base)
{
	struct profile *p = profile_new();
	const int64_t on[] = {10, 0, 0}, wait[] = {0, 300, 4000};

	add_metric(p, clock, clock_base);
	add_metric(p, METRIC_BLOCKED, "time blocked");
	add_metric(p, METRIC_RUNNABLE, "time runnable");
	small_thread(p, 10, 10, "main", "prog");
	profile_sample(p, 1, 0, small_node(p, "main;a"), on);
	profile_sample(p, 2, 0, small_node(p, "main;b"), wait);
	profile_sample(p, 3, 0, small_node(p, "main;a"), on);
	return p;
}

static void finds_metrics(void **state)
{
	struct profile *p = small_profile();
	struct measure m;

	(void)state;
	assert_int_equal(measure_find(p, NULL, &m), 0);
	assert_string_equal(m.name, "cpu-clock");
	assert_int_equal(measure_find(p, "faults", &m), 0);
	assert_string_equal(m.unit, "events");
	assert_int_equal(m.n, 1);
	assert_int_equal(m.metric[0], 1);
	assert_int_equal(measure_find(p, "cycles", &m), -ENOENT);
	assert_string_equal(err_text(),
			    "the profile has no metric 'cycles': it has cpu-clock, faults");
	profile_free(p);
}

static void finds_none_in_an_empty_profile(void **state)
{
	struct profile *p = profile_new();
	struct measure m;

	(void)state;
	assert_int_equal(measure_find(p, NULL, &m), 0);
	assert_int_equal(m.n, 0);
	assert_int_equal(measure_find(p, "wall", &m), -ENOENT);
	assert_string_equal(err_text(), "the profile has no metric 'wall': it has none");
	profile_free(p);
}

static int64_t total(const struct profile *p, const char *metric)
{
	const struct selection sel = {.metric = metric};
	struct tree *t;
	int64_t sum;

	assert_int_equal(tree_build(p, &sel, &t), 0);
	sum = t->nodes.at[0].total;
	tree_free(t);
	return sum;
}

static void adds_up(void **state)
{
	struct profile *p = wall_profile("cpu-clock", METRIC_ON_CPU);
	const struct selection sel = {.metric = METRIC_WALL};
	struct tree *t;

	(void)state;
	assert_int_equal(total(p, "cpu-clock"), 20);
	assert_int_equal(total(p, METRIC_BLOCKED), 300);
	assert_int_equal(total(p, METRIC_OFF_CPU), 4300);
	assert_int_equal(total(p, METRIC_WALL), 4320);
	assert_int_equal(tree_build(p, &sel, &t), 0);
	assert_int_equal(t->samples, 3); /* the wait is one, of both kinds */
	assert_string_equal(t->unit, "ns");
	assert_string_equal(t->base, "thread time (running + blocked + waiting for a CPU)");
	tree_free(t);
	profile_free(p);
}

static void opens_with_its_own(void **state)
{
	struct profile *p = wall_profile("cpu-clock", METRIC_ON_CPU);

	(void)state;
	assert_int_equal(total(p, NULL), 20);
	profile_set_run(p, RUN_METRIC, METRIC_WALL);
	assert_int_equal(total(p, NULL), 4320);
	assert_int_equal(total(p, "cpu-clock"), 20);
	/* One that it does not have is none. */
	profile_set_run(p, RUN_METRIC, "nothing");
	assert_int_equal(total(p, NULL), 20);
	profile_free(p);
}

static void has_no_sum_without_its_parts(void **state)
{
	struct profile *p = wall_profile("cycles", "");
	struct measure m;

	(void)state;
	assert_int_equal(measure_find(p, METRIC_OFF_CPU, &m), 0);
	assert_int_equal(measure_find(p, METRIC_WALL, &m), -ENOENT);
	assert_string_equal(err_text(), "the profile has no metric 'wall': it has cycles, blocked, "
					"runnable and the sums off-cpu");
	profile_free(p);
}

static void a_stored_metric_comes_first(void **state)
{
	struct profile *p = wall_profile(METRIC_WALL, METRIC_ON_CPU);

	(void)state;
	assert_int_equal(total(p, METRIC_WALL), 20);
	profile_free(p);
}

/* Each column fits, their sum does not. */
static void refuses_what_overflows_together(void **state)
{
	struct profile *p = wall_profile("cpu-clock", METRIC_ON_CPU);

	(void)state;
	assert_int_equal(profile_check(p), 0);
	p->samples.values.at[0].at[0] = INT64_MAX - 1000;
	assert_int_equal(profile_check(p), -EINVAL);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_metrics),
		cmocka_unit_test(finds_none_in_an_empty_profile),
		cmocka_unit_test(adds_up),
		cmocka_unit_test(opens_with_its_own),
		cmocka_unit_test(has_no_sum_without_its_parts),
		cmocka_unit_test(a_stored_metric_comes_first),
		cmocka_unit_test(refuses_what_overflows_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
