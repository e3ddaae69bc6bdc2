/* version: the order of version keys. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "select/version.h"

#define COUNT(a) (sizeof(a) / sizeof(*(a)))

static void check(const char *a, const char *b, int expected)
{
	int c = version_compare(a, b);

	if ((c > 0) - (c < 0) != expected)
		fail_msg("%s against %s is %d, not %d", a, b, c, expected);
}

/* Each with each, in both directions. */
static void check_ascending(const char *const *at, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < n; k++)
			check(at[i], at[k], (i > k) - (i < k));
}

/* The example of semver.org, section 11. */
static void knows_semantic_versions(void **state)
{
	static const char *const all[] = {
		"0.9.9",
		"1.0.0-alpha",
		"1.0.0-alpha.1",
		"1.0.0-alpha.beta",
		"1.0.0-beta",
		"1.0.0-beta.2",
		"1.0.0-beta.11",
		"1.0.0-rc.1",
		"1.0.0",
		"1.0.1",
		"1.9.0",
		"1.10.0",
		"1.10.0.1",
		"2.0.0-rc9",
		"2.0.0-rc10",
		"2.0.0",
		"10.0.0",
		"99999999999999999999.0",
		"100000000000000000000.0",
	};

	(void)state;
	check_ascending(all, COUNT(all));
}

static void knows_describe(void **state)
{
	static const char *const all[] = {
		"v1.2-rc1",
		"v1.2-rc1-3-g0123abc",
		"v1.2",
		"v1.2-dirty",
		"v1.2-5-gabc1234",
		"v1.2-5-gabc1234-dirty",
		"v1.2-10-g0011223344556",
		"v1.2.1",
		"v1.2.1-1-gabcd",
	};

	(void)state;
	check_ascending(all, COUNT(all));
	/* Only the number of commits tells. */
	check("1.2-5-gabc1234", "1.2-5-gffff", 0);
	/* Too short for a commit: pre-releases. */
	check("1.2-5-gabc", "1.2", -1);
	check("1.2--gabcd", "1.2", -1);
}

static void passes_over_what_is_no_part(void **state)
{
	(void)state;
	check("v1.2.3", "1.2.3", 0);
	check("V1.2.3", "1.2", 1);
	check("1.2", "1.2.0", 0);
	check("1.2", "1.02.0.0", 0);
	check("1.5+local", "1.5", 0);
	check("1.5+local", "1.5+other.7", 0);
	check("1.5-rc.1+b", "1.5-rc.1", 0);
	check("1.5+20-3-gabcdef0", "1.5-2-gabcdef0", 1);
}

static void knows_other_ways_to_write_them(void **state)
{
	static const char *const all[] = {"1.0a1", "1.0b2", "1.0rc1", "1.0",   "1.1~rc1",
					  "1.1",   "1.1.1", "1.1.1a", "1.1.1w"};

	(void)state;
	check_ascending(all, COUNT(all));
	check("1.0.dev3", "1.0", -1);
}

static void has_natural_order_for_the_rest(void **state)
{
	static const char *const all[] = {"build 9", "build 10",	   "build 10 b",
					  "größe",   "nightly-2024-01-02", "nightly-2024-1-3",
					  "0.1"};

	(void)state;
	check_ascending(all, COUNT(all));
}

static void finds_no_order_in_hashes(void **state)
{
	static const char *const none[] = {
		"", "unversioned", "abc1234", "ffffffffffffffff01", "0000000a", "abc1234-dirty"};

	(void)state;
	for (size_t i = 0; i < COUNT(none); i++) {
		for (size_t k = 0; k < COUNT(none); k++)
			check(none[i], none[k], 0);
		check(none[i], "build", -1);
		check(none[i], "0.0.1", -1);
	}
	/* All digits: a date. */
	check("20240101", "20240102", -1);
}

static void takes_odd_texts(void **state)
{
	static const char *const odd[] = {
		"v",	    "1.",	"1..2", "-",	 "1-",	     "1~",	     "+",
		"1+",	    "1+-dirty", "v1-g", "1-5-g", "-5-gabcd", "1-5-gabcd-",   "\xff\xfe",
		"1.2.3-\n", "%",	"/",	"..",	 "-dirty",   "1-dirty-dirty"};

	(void)state;
	/* Antisymmetric and, over all triples, transitive. */
	for (size_t a = 0; a < COUNT(odd); a++)
		for (size_t b = 0; b < COUNT(odd); b++) {
			int ab = version_compare(odd[a], odd[b]);

			assert_true((ab > 0) == (version_compare(odd[b], odd[a]) < 0));
			for (size_t c = 0; c < COUNT(odd); c++)
				if (ab <= 0 && version_compare(odd[b], odd[c]) <= 0)
					assert_true(version_compare(odd[a], odd[c]) <= 0);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_semantic_versions),
		cmocka_unit_test(knows_describe),
		cmocka_unit_test(passes_over_what_is_no_part),
		cmocka_unit_test(knows_other_ways_to_write_them),
		cmocka_unit_test(has_natural_order_for_the_rest),
		cmocka_unit_test(finds_no_order_in_hashes),
		cmocka_unit_test(takes_odd_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
