/* base/units: numbers as people read and write them. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/err.h"
#include "base/units.h"

static char buf[UNITS_BUF];

static void times(void **state)
{
	static const struct {
		double ns;
		const char *text;
	} cases[] = {
		{0, "0 ns"},	       {950, "950 ns"},
		{12.5, "12.5 ns"},     {999.4, "999 ns"},
		{999.6, "1.00 µs"},    {1234, "1.23 µs"},
		{45.6e6, "45.6 ms"},   {999.7e6, "1.00 s"},
		{7.89e9, "7.89 s"},    {59.96e9, "1 min 00 s"},
		{125e9, "2 min 05 s"}, {7320e9, "2 h 02 min"},
		{-1500, "-1.50 µs"},   {NAN, "–"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		assert_string_equal(units_ns(buf, sizeof(buf), cases[i].ns), cases[i].text);
}

static void sizes_and_counts(void **state)
{
	(void)state;
	assert_string_equal(units_bytes(buf, sizeof(buf), 512), "512 B");
	assert_string_equal(units_bytes(buf, sizeof(buf), 1536), "1.5 KiB");
	assert_string_equal(units_bytes(buf, sizeof(buf), 20.3 * 1048576), "20.3 MiB");
	assert_string_equal(units_bytes(buf, sizeof(buf), 1048575), "1.0 MiB");
	assert_string_equal(units_count(buf, sizeof(buf), 0), "0");
	assert_string_equal(units_count(buf, sizeof(buf), 999), "999");
	assert_string_equal(units_count(buf, sizeof(buf), 1234567), "1,234,567");
	assert_string_equal(units_count(buf, sizeof(buf), -100000), "-100,000");
	assert_string_equal(units_count(buf, sizeof(buf), INT64_MIN), "-9,223,372,036,854,775,808");
	assert_string_equal(units_value(buf, sizeof(buf), 2e6, "ns"), "2.00 ms");
	assert_string_equal(units_value(buf, sizeof(buf), 2048, "bytes"), "2.0 KiB");
	assert_string_equal(units_value(buf, sizeof(buf), 2048, "events"), "2,048");
	assert_string_equal(units_value(buf, sizeof(buf), 1e300, NULL), "1e+300");
	assert_string_equal(units_value(buf, sizeof(buf), 1136, "1/1000"), "1.136");
	assert_string_equal(units_value(buf, sizeof(buf), 2000, "1/1000"), "2");
	assert_string_equal(units_value(buf, sizeof(buf), -5, "1/1000"), "-0.005");
	assert_string_equal(units_value(buf, sizeof(buf), 12345670, "1/1000"), "12,345.67");
	assert_string_equal(units_plain(buf, sizeof(buf), 12345670, "1/1000"), "12345.67");
	assert_string_equal(units_plain(buf, sizeof(buf), INT64_MIN, "ns"), "-9223372036854775808");
	assert_int_equal(units_fraction("1/1000000000"), 1000000000);
	assert_int_equal(units_fraction("1/10000000000"), 1);
	assert_int_equal(units_fraction("1/12"), 1);
	assert_int_equal(units_fraction("ns"), 1);
}

static void percents(void **state)
{
	(void)state;
	assert_string_equal(units_percent(buf, sizeof(buf), 123, 1000), "12.3 %");
	assert_string_equal(units_percent(buf, sizeof(buf), 5, 5), "100 %");
	assert_string_equal(units_percent(buf, sizeof(buf), 0, 5), "0 %");
	assert_string_equal(units_percent(buf, sizeof(buf), 1, 100000), "<0.1 %");
	assert_string_equal(units_percent(buf, sizeof(buf), 99999, 100000), ">99.9 %");
	assert_string_equal(units_percent(buf, sizeof(buf), 5, 0), "–");
	assert_string_equal(units_percent(buf, sizeof(buf), 9.99, 1), "999.0 %");
	assert_string_equal(units_percent(buf, sizeof(buf), 19, 1), "1,900 %");
	assert_string_equal(units_percent(buf, sizeof(buf), -19.004, 1), "-1,900 %");
}

static void dates(void **state)
{
	(void)state;
	assert_string_equal(units_time(buf, sizeof(buf), 0), "1970-01-01T00:00:00Z");
	assert_string_equal(units_time(buf, sizeof(buf), INT64_C(1700000000999999999)),
			    "2023-11-14T22:13:20Z");
	assert_string_equal(units_time(buf, sizeof(buf), -1), "1969-12-31T23:59:59Z");
}

static void parses_times(void **state)
{
	static const struct {
		const char *s;
		int64_t ns;
	} good[] = {
		{"2s", 2000000000},    {"20ms", 20000000},
		{"1.5m", 90000000000}, {"10", 10000000000},
		{".5s", 500000000},    {"3us", 3000},
		{"3µs", 3000},	       {"7ns", 7},
		{"1h", 3600000000000}, {"0", 0},
	};
	static const char *const bad[] = {
		"",    "s",  "-1",  "+1", "nan",   "inf", "1e3",
		"0x1", " 1", "1 s", "1x", "1.2.3", ".",	  "5000000000000s"};
	int64_t ns;

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		assert_int_equal(units_parse_ns(good[i].s, "-d", &ns), 0);
		assert_int_equal(ns, good[i].ns);
	}
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(units_parse_ns(bad[i], "-d", &ns), -EINVAL);
		assert_non_null(strstr(err_text(), "-d"));
	}
}

static void parses_integers(void **state)
{
	static const char *const bad[] = {
		"", "-", "1.0", "x", "0x10", " 1", "1 ", "+1", "101", "-6", "99999999999999999999"};
	int64_t n;

	(void)state;
	assert_int_equal(units_parse_int("-5", "-F", -5, 100, &n), 0);
	assert_int_equal(n, -5);
	assert_int_equal(units_parse_int("100", "-F", -5, 100, &n), 0);
	assert_int_equal(n, 100);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		assert_int_equal(units_parse_int(bad[i], "-F", -5, 100, &n), -EINVAL);
	assert_string_equal(err_text(),
			    "-F: '99999999999999999999' is no whole number from -5 to 100");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times),	cmocka_unit_test(sizes_and_counts),
		cmocka_unit_test(percents),	cmocka_unit_test(dates),
		cmocka_unit_test(parses_times), cmocka_unit_test(parses_integers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
