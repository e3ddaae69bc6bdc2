/* model/selection, pattern, filter: which part of a profile is spoken of. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "base/err.h"
#include "query/filter.h"
#include "small_profile.h"

static bool matches(const char *pattern, const char *name)
{
	struct pattern *p;
	bool yes;

	assert_int_equal(pattern_new(pattern, &p), 0);
	yes = pattern_match(p, name);
	pattern_free(p);
	return yes;
}

static void patterns(void **state)
{
	struct pattern *p;

	(void)state;
	assert_true(matches("std::*", "std::sort<int*>"));
	assert_false(matches("sort", "std::sort"));
	assert_true(matches("f?[ab]", "fxb"));
	assert_true(matches("operator\\[\\]", "operator[]"));
	assert_true(matches("/so+rt/", "std::soort<int>"));
	assert_true(matches("/^a|z$/", "xz"));
	assert_false(matches("/^a$/", "ab"));
	assert_true(matches("/", "/"));
	assert_int_equal(pattern_new("/(/", &p), -EINVAL);
	assert_non_null(strstr(err_text(), "bad pattern '/(/'"));
	assert_int_equal(pattern_new("", &p), -EINVAL);
	pattern_free(NULL);
}

static void options(void **state)
{
	struct selection s = {0};

	(void)state;
	assert_int_equal(options_take(selection_rows, "metric", "cycles", &s), 0);
	assert_int_equal(options_take(selection_rows, "thread", "11", &s), 0);
	assert_int_equal(options_take(selection_rows, "pid", "prog*", &s), 0);
	assert_int_equal(options_take(selection_rows, "from", "20ms", &s), 0);
	assert_int_equal(options_take(selection_rows, "to", "1s", &s), 0);
	assert_int_equal(options_take(selection_rows, "focus", "/x/", &s), 0);
	assert_int_equal(options_take(selection_rows, "ignore", "y", &s), 0);
	assert_int_equal(options_take(selection_rows, "omit", "z", &s), 0);
	assert_string_equal(s.metric, "cycles");
	assert_string_equal(s.threads.thread, "11");
	assert_string_equal(s.threads.pid, "prog*");
	assert_int_equal(s.from_ns, 20000000);
	assert_int_equal(s.to_ns, 1000000000);
	assert_string_equal(s.focus, "/x/");
	assert_string_equal(s.ignore, "y");
	assert_string_equal(s.omit, "z");
	assert_int_equal(options_take(selection_rows, "zone", "parse_*", &s), 0);
	assert_int_equal(options_take(selection_rows, "sort", "-mean", &s), 0);
	assert_int_equal(options_take(selection_rows, "where", "mean>1ms", &s), 0);
	assert_int_equal(options_take(selection_rows, "where", "counts!=1", &s), 0);
	assert_string_equal(s.zone, "parse_*");
	assert_string_equal(s.sort, "-mean");
	assert_int_equal(s.n_where, 2);
	assert_string_equal(s.where[1], "counts!=1");
	/* May be an event's name: only the profile knows. */
	assert_int_equal(options_take(selection_rows, "sort", "page-faults", &s), 0);
	assert_string_equal(s.sort, "page-faults");
	assert_int_equal(options_take(selection_rows, "where", "mean", &s), -EINVAL);
	assert_int_equal(s.n_where, 2);
	while (s.n_where < SELECTION_CONDITIONS)
		assert_int_equal(options_take(selection_rows, "where", "total>0", &s), 0);
	assert_int_equal(options_take(selection_rows, "where", "total>0", &s), -E2BIG);
	assert_int_equal(options_take(selection_rows, "reason", "lock", &s), 0);
	assert_string_equal(s.reason, "lock");
	assert_int_equal(options_take(selection_rows, "reason", "/[/", &s), -EINVAL);
	assert_false(s.omit_idle);
	assert_int_equal(options_take(selection_rows, "omit-idle", NULL, &s), 0);
	assert_true(s.omit_idle);
	assert_int_equal(options_take(selection_rows, "version-key", "1.5+a/b [", &s), 0);
	assert_int_equal(options_take(selection_rows, "platform", "linux", &s), 0);
	assert_int_equal(options_take(selection_rows, "run", "/[/", &s), 0);
	assert_string_equal(s.run.version, "1.5+a/b [");
	assert_string_equal(s.run.platform, "linux");
	assert_string_equal(s.run.run, "/[/");
	assert_int_equal(options_take(selection_rows, "focus", "/[/", &s), -EINVAL);
	assert_int_equal(options_take(selection_rows, "from", "-1", &s), -EINVAL);
}

/* The sum of what a selection of @p takes, which is freed. */
static int64_t sum_of(struct profile *p, struct selection s)
{
	struct filter f;
	int64_t total = 0;

	assert_int_equal(filter_init(&f, p, &s), 0);
	for (size_t i = 0; i < p->samples.n; i++)
		total += filter_value(&f, i);
	filter_release(&f);
	profile_free(p);
	return total;
}

static int64_t sum(struct selection s)
{
	return sum_of(small_profile(), s);
}

/* The same with work, 2, between the waits of its first thread, which are idle by that. */
static struct profile *idle_waits(void)
{
	struct profile *p = small_waits();

	small_sample(p, 250, 0, "main", 2);
	return p;
}

static void selects_reasons(void **state)
{
	(void)state;
	assert_int_equal(sum_of(small_waits(), (struct selection){0}), 43);
	assert_int_equal(sum_of(small_waits(), (struct selection){.reason = "lock"}), 15);
	assert_int_equal(sum_of(small_waits(), (struct selection){.reason = "app:q*"}), 10);
	assert_int_equal(sum_of(small_waits(), (struct selection){.reason = "/sleep$/"}), 20);
	assert_int_equal(sum_of(small_waits(), (struct selection){.reason = "futex"}), 15);
	assert_int_equal(sum_of(idle_waits(), (struct selection){0}), 45);
	assert_int_equal(sum_of(idle_waits(), (struct selection){.omit_idle = true}), 10);
	assert_int_equal(sum_of(idle_waits(), (struct selection){.reason = "*", .omit_idle = true}),
			 7);
	/* Without it nobody knows. */
	assert_int_equal(sum_of(small_waits(), (struct selection){.omit_idle = true}), 43);
	assert_int_equal(sum((struct selection){.omit_idle = true}), 43);
}

/* Whoever asks for a reason asks for waits, of whichever metric they are. */
static void reasons_choose_the_metric(void **state)
{
	struct selection s = {.reason = "lock"}, idle = {.omit_idle = true};
	struct profile *p = small_waits(), *none = small_profile();

	(void)state;
	for (size_t i = 0; i < 6; i++)
		p->samples.values.at[0].at[i] = i > 3;
	filter_choose_metric(p, &s);
	assert_string_equal(s.metric, "faults");
	s.metric = "cpu-clock";
	filter_choose_metric(p, &s);
	assert_string_equal(s.metric, "cpu-clock");
	filter_choose_metric(p, &idle);
	assert_null(idle.metric);
	s.metric = NULL;
	filter_choose_metric(none, &s);
	assert_null(s.metric);
	profile_free(p);
	profile_free(none);
}

static void refuses_reasons_that_are_not_there(void **state)
{
	const struct selection s = {.reason = "x"}, idle = {.reason = "sleep", .omit_idle = true};
	struct profile *p = idle_waits(), *none = small_profile();
	struct filter f;

	(void)state;
	assert_int_equal(filter_init(&f, p, &s), -ENOENT);
	assert_string_equal(err_text(), "no wait has a reason, call or object that matches 'x': "
					"there are runnable, lock, sleep");
	filter_release(&f);
	assert_int_equal(filter_init(&f, p, &idle), 0);
	assert_int_equal(filter_check_any(&f, &idle), -ENOENT);
	assert_string_equal(err_text(), "no sample is left of the profile's 6 by --reason sleep, "
					"--omit-idle");
	filter_release(&f);
	assert_int_equal(filter_init(&f, none, &s), -ENOENT);
	assert_string_equal(err_text(), "--reason 'x': the profile has no reasons of waits, which "
					"eprof --off-cpu captures");
	filter_release(&f);
	profile_free(p);
	profile_free(none);
}

static void selects_rows(void **state)
{
	(void)state;
	assert_int_equal(sum((struct selection){0}), 43);
	assert_int_equal(sum((struct selection){.metric = "faults"}), 6);
	assert_int_equal(sum((struct selection){.from_ns = 200, .to_ns = 400}), 25);
	assert_int_equal(sum((struct selection){.from_ns = 500}), 1);
	assert_int_equal(sum((struct selection){.threads.thread = "11"}), 7);
	assert_int_equal(sum((struct selection){.threads.thread = "/^(main|cc1)$/"}), 36);
	assert_int_equal(sum((struct selection){.threads.pid = "20"}), 1);
	assert_int_equal(sum((struct selection){.threads.pid = "pro?"}), 42);
}

static void selects_stacks(void **state)
{
	(void)state;
	assert_int_equal(sum((struct selection){.focus = "b"}), 30);
	assert_int_equal(sum((struct selection){.focus = "main"}), 43);
	assert_int_equal(sum((struct selection){.ignore = "b"}), 13);
	assert_int_equal(sum((struct selection){.focus = "a", .ignore = "/^[bz]$/"}), 6);
}

/* A selection that nothing answers is told, not drawn as an empty report. */
static void refuses_what_is_not_there(void **state)
{
	static const struct {
		struct selection selection;
		const char *text;
	} cases[] = {
		{{.threads.thread = "99999999999"},
		 "no thread matches '99999999999': there are main (10), worker (11), cc1 (20)"},
		{{.threads.pid = "nosuch"},
		 "no process matches 'nosuch': there are prog (10), make (20)"},
		{{.threads.pid = "pro?", .threads.thread = "cc1"},
		 "no thread matches --thread 'cc1' in a process of --pid 'pro?'"},
		{{.focus = "nothing"}, "--focus: no stack has a function that matches 'nothing'"},
		{{.focus = "ol"},
		 "--focus: no stack has a function 'ol'; for 'fold' the pattern is '*ol*'"},
		{{.from_ns = 1000}, "--from 1.00 µs is past the end: the profile has 1.00 µs"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct profile *p = small_profile();
		struct filter f;

		assert_int_equal(filter_init(&f, p, &cases[i].selection), -ENOENT);
		assert_string_equal(err_text(), cases[i].text);
		filter_release(&f);
		profile_free(p);
	}
}

/* Each part is there, but they leave nothing together. @zones: that have something to tell still.
 */
static int check_any(struct selection s, bool zones)
{
	struct profile *p = small_profile();
	struct filter f;
	int rc;

	if (zones)
		profile_zone(p, &(struct zone){.name = intern_add(&p->strings, "zone")});
	assert_int_equal(filter_init(&f, p, &s), 0);
	rc = filter_check_any(&f, &s);
	filter_release(&f);
	profile_free(p);
	return rc;
}

static void refuses_what_leaves_nothing(void **state)
{
	(void)state;
	assert_int_equal(check_any((struct selection){0}, false), 0);
	assert_int_equal(check_any((struct selection){.threads.pid = "20"}, false), 0);
	assert_int_equal(check_any((struct selection){.ignore = "main"}, false), -ENOENT);
	assert_string_equal(err_text(), "no sample is left of the profile's 5 by --ignore main");
	assert_int_equal(check_any((struct selection){.threads.pid = "make", .to_ns = 500}, false),
			 -ENOENT);
	assert_string_equal(err_text(),
			    "no sample is left of the profile's 5 by --pid make, --to 500 ns");
	assert_int_equal(check_any((struct selection){.focus = "z", .threads.thread = "10"}, false),
			 -ENOENT);
	assert_int_equal(check_any((struct selection){.focus = "z", .threads.thread = "10"}, true),
			 -ENOENT);
	assert_int_equal(check_any((struct selection){.zone = "zone"}, true), 0);
}

/* One without samples has none to lose; one without stacks none to look in. */
static void empty_profiles_may_be_selected_from(void **state)
{
	const struct selection s = {.focus = "x", .from_ns = 5};
	struct profile *p = profile_new();
	struct filter f;

	(void)state;
	for (int metrics = 0; metrics < 2; metrics++) {
		assert_int_equal(filter_init(&f, p, &s), 0);
		assert_int_equal(filter_check_any(&f, &s), 0);
		filter_release(&f);
		profile_metric(p, "faults", "events", METRIC_COUNT);
	}
	profile_free(p);
}

static void span_has_a_length(void **state)
{
	struct selection s = {0};

	(void)state;
	assert_int_equal(options_take(selection_rows, "from", "2s", &s), 0);
	assert_int_equal(options_take(selection_rows, "to", "1s", &s), -EINVAL);
	assert_string_equal(err_text(),
			    "--from 2.00 s is not before --to 1.00 s: nothing is between them");
	s = (struct selection){0};
	assert_int_equal(options_take(selection_rows, "to", "1s", &s), 0);
	assert_int_equal(options_take(selection_rows, "from", "1s", &s), -EINVAL);
}

static void refuses_unknown_metrics(void **state)
{
	struct profile *p = small_profile();
	struct filter f;

	(void)state;
	assert_int_equal(filter_init(&f, p, &(struct selection){.metric = "x"}), -ENOENT);
	filter_release(&f);
	assert_int_equal(filter_init(&f, p, &(struct selection){.focus = "a", .omit = "/(/"}),
			 -EINVAL);
	filter_release(&f);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns),
		cmocka_unit_test(options),
		cmocka_unit_test(selects_rows),
		cmocka_unit_test(selects_reasons),
		cmocka_unit_test(refuses_reasons_that_are_not_there),
		cmocka_unit_test(reasons_choose_the_metric),
		cmocka_unit_test(selects_stacks),
		cmocka_unit_test(refuses_what_is_not_there),
		cmocka_unit_test(refuses_what_leaves_nothing),
		cmocka_unit_test(empty_profiles_may_be_selected_from),
		cmocka_unit_test(span_has_a_length),
		cmocka_unit_test(refuses_unknown_metrics),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
