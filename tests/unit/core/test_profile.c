/* model/profile: the adders and the check. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>

#include "base/err.h"
#include "model/meta.h"
#include "model/row.h"
#include "small_profile.h"
#include "spoils.h"

static void starts_with_none(void **state)
{
	struct profile *p = profile_new();
	const struct function none = {0};

	(void)state;
	assert_string_equal(profile_text(p, PROFILE_ROOT_NAME), "root");
	assert_int_equal(profile_module(p, "", ""), 0);
	assert_int_equal(profile_function(p, &none), 0);
	assert_int_equal(profile_node(p, 0, 0), 0);
	assert_int_equal(profile_check(p), 0);
	profile_free(p);
	profile_free(NULL);
}

static void adds_each_once(void **state)
{
	struct profile *p = profile_new();
	struct function f = {.name = intern_add(&p->strings, "f"), .kind = KIND_NATIVE};
	struct function g = f, other = f;
	struct frame a = {0}, b;

	(void)state;
	g.linkage = intern_add(&p->strings, "_Z1f");
	other.kind = KIND_JIT;
	assert_int_equal(profile_function(p, &f), 1);
	assert_int_equal(profile_function(p, &g), 1); /* linkage is not part of the identity */
	assert_int_equal(p->functions.at[1].linkage, 0);
	assert_int_equal(profile_function(p, &other), 2);
	a.function = 1;
	b = a;
	b.inlined = 1;
	assert_int_equal(profile_frame(p, &a), 1);
	assert_int_equal(profile_frame(p, &b), 2);
	b.inlined = 0;
	b.line = 9;
	assert_int_equal(profile_frame(p, &b), 3);
	assert_int_equal(profile_frame(p, &a), 1);
	assert_int_equal(profile_module(p, "/bin/x", "aa"), 1);
	assert_int_equal(profile_module(p, "/bin/x", "bb"), 2);
	assert_int_equal(profile_module(p, "/bin/x", "aa"), 1);
	assert_int_equal(profile_node(p, 0, 1), 1);
	assert_int_equal(profile_node(p, 1, 1), 2);
	assert_int_equal(profile_node(p, 0, 1), 1);
	profile_free(p);
}

/* What was read from a file has no maps yet. */
static void finds_what_it_was_given(void **state)
{
	struct profile *p = small_profile();
	size_t nodes = p->nodes.n, functions = p->functions.n;

	(void)state;
	row_index_reset(p, TABLE_nodes);
	row_index_reset(p, TABLE_functions);
	row_index_reset(p, TABLE_frames);
	small_node(p, "main;a;b;a");
	assert_int_equal(p->nodes.n, nodes);
	assert_int_equal(p->functions.n, functions);
	profile_free(p);
}

static void keeps_attributes(void **state)
{
	struct profile *p = profile_new();

	(void)state;
	assert_null(profile_meta(p, "k"));
	profile_set_meta(p, "k", "1");
	profile_set_meta(p, "k", "2");
	profile_set_run(p, "k", "3");
	assert_string_equal(profile_meta(p, "k"), "2");
	assert_string_equal(profile_run(p, "k"), "3");
	assert_int_equal(p->meta.n, 1);
	profile_free(p);
}

static void has_the_parts_that_were_said(void **state)
{
	struct profile *p = profile_new(), *q = profile_new();
	_free_ char *none = profile_parts(p), *both = NULL;

	(void)state;
	assert_string_equal(none, "");
	assert_true(profile_has(p, PART_ANY));
	assert_false(profile_has(p, PART_SAMPLES) || profile_has(p, PART_ZONES));
	profile_metric(p, "cpu-clock", "ns", METRIC_SUM);
	assert_true(profile_has(p, PART_SAMPLES) && !profile_has(p, PART_ZONES));
	profile_zone(p, &(struct zone){.name = intern_add(&p->strings, "f")});
	both = profile_parts(p);
	assert_string_equal(both, "samples,zones");
	profile_add_parts(q, "zones,waits,,locks,zone");
	assert_true(profile_has(q, PART_ZONES) && !profile_has(q, PART_SAMPLES));
	assert_string_equal(profile_run(q, RUN_UNKNOWN_PARTS), "waits, locks, zone");
	profile_free(p);
	profile_free(q);
}

static void tells_modules_of_one_name_apart(void **state)
{
	struct profile *p = profile_new();
	uint32_t only = profile_module(p, "/usr/lib/libonly.so", ""),
		 a = profile_module(p, "/opt/a/lib/libz.so", "11"),
		 b = profile_module(p, "/opt/b/lib/libz.so", "22"),
		 other = profile_module(p, "/usr/lib64/libz.so", "33"),
		 longer = profile_module(p, "/usr/lib/xlibz.so", ""),
		 again = profile_module(p, "/usr/lib/libonly.so", "44"),
		 short_path = profile_module(p, "/libz.so", ""),
		 anonymous = profile_module(p, "//anon", "");

	(void)state;
	assert_string_equal(profile_module_name(p, 0), "");
	assert_string_equal(profile_module_name(p, only), "libonly.so");
	assert_string_equal(profile_module_name(p, again), "libonly.so");
	assert_string_equal(profile_module_name(p, a), "a/lib/libz.so");
	assert_string_equal(profile_module_name(p, b), "b/lib/libz.so");
	assert_string_equal(profile_module_name(p, other), "lib64/libz.so");
	assert_string_equal(profile_module_name(p, longer), "xlibz.so");
	assert_string_equal(profile_module_name(p, short_path), "/libz.so");
	assert_string_equal(profile_module_name(p, anonymous), "//anon");
	profile_free(p);
}

#define SPOILS(what, text) SPOILS_OF(small_profile(), what, text)

static void checks_indices(void **state)
{
	(void)state;
	SPOILS(p->functions.at[2].name = 999, "functions, row 2: name 999 is out of range");
	SPOILS(p->functions.at[2].module = 1, "functions, row 2: module 1 is out of range");
	SPOILS(p->functions.at[0].name = 1, "functions, row 0: must be empty");
	SPOILS(p->modules.n = 0, "modules: the table is empty");
	SPOILS(p->frames.at[1].function = 77, "frames, row 1: function 77 is out of range");
	SPOILS(p->nodes.at[3].parent = 3, "nodes, row 3: parent 3 is out of range");
	SPOILS(p->nodes.at[3].frame = 88, "nodes, row 3: frame 88 is out of range");
	SPOILS(p->threads.at[0].cgroup = 99, "threads, row 0: cgroup 99 is out of range");
	SPOILS(p->metrics.at[1].kind = 3, "metrics, row 1: kind 3 is out of range");
	SPOILS(p->samples.at[5].node = 50, "samples, row 5: node 50 is out of range");
	SPOILS(p->samples.at[4].thread = 3, "samples, row 4: thread 3 is out of range");
	SPOILS(p->ledger.at[0].metric = 2, "ledger, row 0: metric 2 is out of range");
	SPOILS(p->cost.at[0].unit = 99, "cost, row 0: unit 99 is out of range");
	SPOILS(p->run.at[0].text = 99, "run, row 0: text 99 is out of range");
}

static void checks_numbers(void **state)
{
	(void)state;
	SPOILS(p->samples.values.at[1].n--, "samples: columns of unequal length");
	SPOILS(p->metrics.n--, "samples: 2 value columns for 1 metrics");
	SPOILS(p->samples.at[2].time_ns = UINT64_MAX,
	       "samples, row 2: time_ns 18446744073709551615 is out of range");
	SPOILS(p->samples.values.at[0].at[1] = INT64_MAX,
	       "samples, row 1: the sum of the values does not fit");
	SPOILS(p->samples.values.at[0].at[1] = INT64_MIN,
	       "samples, row 1: the sum of the values does not fit");
	SPOILS(p->ledger.at[1].count = INT64_MIN, "ledger, row 1: the sum of count does not fit");
	SPOILS(p->cost.at[0].value = NAN, "cost, row 0: value is no finite number");
	SPOILS(p->hz = INFINITY, "run: hz inf is no finite number");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(starts_with_none),
		cmocka_unit_test(adds_each_once),
		cmocka_unit_test(finds_what_it_was_given),
		cmocka_unit_test(keeps_attributes),
		cmocka_unit_test(tells_modules_of_one_name_apart),
		cmocka_unit_test(checks_indices),
		cmocka_unit_test(checks_numbers),
		cmocka_unit_test(has_the_parts_that_were_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
