#include "base/units.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/err.h"

#define NS_PER_S 1e9
#define MAX_NS	 0x1p62

/* @v below 1000 in three digits: 1.23, 45.6, 789. */
static char *three_digits(char *buf, size_t size, double v, const char *unit)
{
	int digits = v < 9.995 ? 2 : v < 99.95 ? 1 : 0;

	snprintf(buf, size, "%.*f %s", digits, v, unit);
	return buf;
}

static char *long_time(char *buf, size_t size, double s)
{
	double whole = round(s);

	if (whole < 3600)
		snprintf(buf, size, "%d min %02d s", (int)whole / 60, (int)whole % 60);
	else
		snprintf(buf, size, "%.0f h %02d min", floor(whole / 3600),
			 (int)(fmod(whole, 3600) / 60));
	return buf;
}

char *units_ns(char *buf, size_t size, double ns)
{
	if (!isfinite(ns)) {
		snprintf(buf, size, "–");
		return buf;
	}
	if (ns < 0 && size > 1) {
		units_ns(buf + 1, size - 1, -ns);
		buf[0] = '-';
		return buf;
	}
	if (ns < 999.5 && ns == floor(ns)) {
		snprintf(buf, size, "%.0f ns", ns);
		return buf;
	}
	if (ns < 999.5)
		return three_digits(buf, size, ns, "ns");
	if (ns < 999.5e3)
		return three_digits(buf, size, ns / 1e3, "µs");
	if (ns < 999.5e6)
		return three_digits(buf, size, ns / 1e6, "ms");
	if (ns < 59.95 * NS_PER_S)
		return three_digits(buf, size, ns / NS_PER_S, "s");
	return long_time(buf, size, ns / NS_PER_S);
}

char *units_bytes(char *buf, size_t size, double bytes)
{
	static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	double v = bytes / 1024;
	size_t i = 0;

	if (fabs(bytes) < 1024) {
		snprintf(buf, size, "%.0f B", bytes);
		return buf;
	}
	for (; fabs(v) >= 1023.95 && i + 1 < sizeof(units) / sizeof(*units); i++)
		v /= 1024;
	snprintf(buf, size, "%.1f %s", v, units[i]);
	return buf;
}

char *units_count(char *buf, size_t size, int64_t n)
{
	char digits[24], out[UNITS_BUF];
	int len = snprintf(digits, sizeof(digits), "%" PRId64, n), k = 0;

	for (int i = 0; i < len; i++) {
		out[k++] = digits[i];
		if (digits[i] != '-' && i + 1 < len && (len - i - 1) % 3 == 0)
			out[k++] = ',';
	}
	out[k] = 0;
	snprintf(buf, size, "%s", out);
	return buf;
}

const char *units_ordinal(uint64_t n)
{
	static const char *const ends[] = {"th", "st", "nd", "rd"};

	return n % 10 < 4 && n / 10 % 10 != 1 ? ends[n % 10] : "th";
}

char *units_percent(char *buf, size_t size, double part, double whole)
{
	double p = whole != 0 ? 100 * part / whole : NAN;
	char whole_text[UNITS_BUF];

	if (!isfinite(p))
		snprintf(buf, size, "–");
	else if (p == 0 || p == 100)
		snprintf(buf, size, "%.0f %%", fabs(p));
	else if (fabs(p) < 0.1)
		snprintf(buf, size, "%s<0.1 %%", p < 0 ? "-" : "");
	else if (p > 99.9 && p < 100)
		snprintf(buf, size, ">99.9 %%");
	else if (fabs(p) >= 999.95 && fabs(p) < 1e18)
		snprintf(buf, size, "%s %%",
			 units_count(whole_text, sizeof(whole_text), llround(p)));
	else
		snprintf(buf, size, "%.1f %%", p);
	return buf;
}

int64_t units_fraction(const char *unit)
{
	int64_t n = 1;

	if (!unit || strncmp(unit, "1/1", 3) != 0)
		return 1;
	for (unit += 3; *unit == '0' && n < 1000000000; unit++)
		n *= 10;
	return *unit ? 1 : n;
}

/* "1.136" of the whole part, "1", and what @value has beyond it: no zeros at the end. */
static char *with_fraction(char *buf, size_t size, const char *whole, int64_t value,
			   int64_t fraction)
{
	char part[UNITS_BUF];
	int n = snprintf(part, sizeof(part), "%" PRId64, fraction + labs(value % fraction));

	while (n > 1 && part[n - 1] == '0')
		n--;
	part[0] = '.';
	part[n > 1 ? n : 0] = '\0';
	snprintf(buf, size, "%s%s%s", value < 0 && value > -fraction ? "-" : "", whole, part);
	return buf;
}

char *units_plain(char *buf, size_t size, int64_t value, const char *unit)
{
	const int64_t fraction = units_fraction(unit);
	char whole[UNITS_BUF];

	snprintf(whole, sizeof(whole), "%" PRId64, value / fraction);
	return with_fraction(buf, size, whole, value, fraction);
}

char *units_value(char *buf, size_t size, double value, const char *unit)
{
	char whole[UNITS_BUF];
	int64_t fraction;

	if (unit && !strcmp(unit, "ns"))
		return units_ns(buf, size, value);
	if (unit && !strcmp(unit, "bytes"))
		return units_bytes(buf, size, value);
	if (!(fabs(value) < 0x1p63)) {
		snprintf(buf, size, "%g", value);
		return buf;
	}
	fraction = units_fraction(unit);
	units_count(whole, sizeof(whole), llround(value) / fraction);
	return with_fraction(buf, size, whole, llround(value), fraction);
}

char *units_time(char *buf, size_t size, int64_t unix_ns)
{
	time_t s = unix_ns / 1000000000 - (unix_ns % 1000000000 < 0);
	struct tm tm;

	gmtime_r(&s, &tm);
	strftime(buf, size, "%Y-%m-%dT%H:%M:%SZ", &tm);
	return buf;
}

/* Reads a decimal fraction and moves *@s past it, whatever the locale. -1 if there is none. */
static double read_decimal(const char **s)
{
	const char *from = *s;
	double v = 0, scale = 1;
	int digits = 0;

	for (; **s >= '0' && **s <= '9'; (*s)++, digits++)
		v = 10 * v + (**s - '0');
	if (**s == '.')
		(*s)++;
	for (; *s > from && **s >= '0' && **s <= '9'; (*s)++, digits++) {
		scale *= 10;
		v += (**s - '0') / scale;
	}
	return digits ? v : -1;
}

int units_parse_ns(const char *s, const char *what, int64_t *ns)
{
	static const struct {
		const char *suffix;
		double ns;
	} units[] = {{"", 1e9}, {"s", 1e9},  {"ms", 1e6},   {"us", 1e3},  {"µs", 1e3},
		     {"ns", 1}, {"m", 60e9}, {"min", 60e9}, {"h", 3600e9}};
	const char *rest = s;
	double v = read_decimal(&rest);

	for (size_t i = 0; v >= 0 && i < sizeof(units) / sizeof(*units); i++) {
		if (strcmp(rest, units[i].suffix))
			continue;
		if (!(v * units[i].ns <= MAX_NS))
			return err(-EINVAL, "%s: '%s' is too long a time", what, s);
		*ns = llround(v * units[i].ns);
		return 0;
	}
	return err(-EINVAL,
		   "%s: '%s' is no time: give a number and, where it is not seconds, ns, "
		   "us, ms, m or h",
		   what, s);
}

double units_parse_binary(const char *s, const char **end)
{
	static const char units[] = "KM";
	char *after;
	const double n = strtod(s, &after);
	const char *unit = after != s && *after ? strchr(units, *after) : NULL;

	*end = after + (unit != NULL);
	return unit ? ldexp(n, 10 * (int)(unit - units + 1)) : n;
}

int units_parse_int(const char *s, const char *what, int64_t min, int64_t max, int64_t *out)
{
	const char *digits = *s == '-' ? s + 1 : s;
	char *end = NULL;
	long long v;

	errno = 0;
	v = strtoll(s, &end, 10);
	if (*digits < '0' || *digits > '9' || *end || errno || v < min || v > max)
		return err(-EINVAL, "%s: '%s' is no whole number from %" PRId64 " to %" PRId64,
			   what, s, min, max);
	*out = v;
	return 0;
}
