/* perf's event names mean what they mean to perf. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "perf/event.h"

static void names_are_perfs(void **state)
{
	static const struct {
		const char *name;
		uint32_t type;
		uint64_t config;
		bool clock;
	} cases[] = {
		{"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false},
		{"cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false},
		{"branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
		 false},
		{"cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, true},
		{"task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, true},
		{"faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, false},
		{"cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, false},
		/* cache | op << 8 | result << 16, from perf_event_open(2) */
		{"L1-dcache-loads", PERF_TYPE_HW_CACHE, 0x00000, false},
		{"L1-dcache-load-misses", PERF_TYPE_HW_CACHE, 0x10000, false},
		{"LLC-store-misses", PERF_TYPE_HW_CACHE, 0x10102, false},
		{"dTLB-prefetches", PERF_TYPE_HW_CACHE, 0x00203, false},
		{"r1c2", PERF_TYPE_RAW, 0x1c2, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct event e;

		assert_int_equal(event_parse(cases[i].name, &e), 0);
		assert_string_equal(e.name, cases[i].name);
		assert_int_equal(e.type, cases[i].type);
		assert_int_equal(e.config, cases[i].config);
		assert_int_equal(e.clock, cases[i].clock);
		assert_int_equal(e.class, EVENT_SAMPLED);
	}
}

/* The processor's units are not everywhere, but the kernel lists its own. */
static void units_are_known_by_number(void **state)
{
	struct event e;

	(void)state;
	if (event_parse("msr/tsc/", &e))
		skip();
	assert_int_equal(e.config, 0);
	assert_true(e.type > PERF_TYPE_BREAKPOINT);
	assert_int_equal(event_parse("msr/event=0x3/", &e), 0);
	assert_int_equal(e.config, 3);
	assert_int_equal(event_parse("msr/event=4/u", &e), -EINVAL);
}

static void modifiers_exclude(void **state)
{
	struct event e;

	(void)state;
	assert_int_equal(event_parse("cpu-clock:u", &e), 0);
	assert_true(e.exclude_kernel && !e.exclude_user);
	assert_int_equal(event_parse("cycles:k", &e), 0);
	assert_true(!e.exclude_kernel && e.exclude_user);
	assert_int_equal(event_parse("cycles:uk", &e), 0);
	assert_true(!e.exclude_kernel && !e.exclude_user);
}

static void unknown_names_say_so(void **state)
{
	static const char *const bad[] = {"",
					  "cyclez",
					  "r",
					  "rxyz",
					  "r0123456789abcdef0",
					  "cycles:q",
					  "L1-dcache-load-hits",
					  "msr/",
					  "msr//",
					  "/tsc/",
					  "nosuch/tsc/",
					  "msr/nosuch/",
					  "software/../x/"};
	struct event e;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_true(event_parse(bad[i], &e) < 0);
		assert_non_null(strstr(err_text(), "'"));
	}
	assert_true(event_parse("../../etc:passwd", &e) < 0);
}

/* The names of a list, each in brackets. */
static void assert_names(const char *list, const char *names)
{
	char copy[128], found[256] = "", *rest = copy;

	snprintf(copy, sizeof(copy), "%s", list);
	for (const char *name = event_next(&rest); name; name = event_next(&rest))
		strcat(strcat(strcat(found, "["), name), "]");
	assert_string_equal(found, names);
}

static void lists_are_divided(void **state)
{
	(void)state;
	assert_names("cycles,page-faults", "[cycles][page-faults]");
	assert_names("cpu/event=0xc0,umask=1/,cs", "[cpu/event=0xc0,umask=1/][cs]");
	assert_names("a:b/dev,sum=bytes/,c:d/e/", "[a:b/dev,sum=bytes/][c:d/e/]");
	assert_names(",,cs,,", "[cs]");
	assert_names("msr/tsc,cs", "[msr/tsc,cs]");
	assert_names("", "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_are_divided),	     cmocka_unit_test(names_are_perfs),
		cmocka_unit_test(units_are_known_by_number), cmocka_unit_test(modifiers_exclude),
		cmocka_unit_test(unknown_names_say_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
