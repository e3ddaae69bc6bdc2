#include "query/clock_time.h"

#include <errno.h>
#include <string.h>
#include <time.h>

#include "base/err.h"
#include "model/meta.h"

#define SECOND_NS 1000000000LL
#define DAY_S	  86400

struct clock_time {
	bool dated;
	int64_t ns; /* since 1970; without a date since midnight */
};

bool clock_time_is(const char *text)
{
	return strchr(text, ':') != NULL;
}

/* The number of exactly @n digits at *@s, which it skips, of at most @most; -1: there is none. */
static int number(const char **s, int n, int most)
{
	int v = 0;

	for (int i = 0; i < n; i++, (*s)++) {
		if (**s < '0' || **s > '9')
			return -1;
		v = 10 * v + (**s - '0');
	}
	return v <= most ? v : -1;
}

static bool skip(const char **s, char c)
{
	if (**s != c)
		return false;
	(*s)++;
	return true;
}

/* "2026-11-29T" or nothing. */
static bool read_date(const char **s, struct clock_time *out, time_t *day_s)
{
	struct tm day = {0};

	*day_s = 0;
	out->dated = strlen(*s) > 10 && (*s)[4] == '-';
	if (!out->dated)
		return true;
	day.tm_year = number(s, 4, 9999) - 1900;
	if (!skip(s, '-') || (day.tm_mon = number(s, 2, 12) - 1) < 0 || !skip(s, '-') ||
	    (day.tm_mday = number(s, 2, 31)) < 1 || !(skip(s, 'T') || skip(s, ' ')))
		return false;
	*day_s = timegm(&day);
	/* 1970 to 2261: in ns it fits in 64 bits. */
	return *day_s >= 0 && day.tm_year + 1900 <= 2261;
}

/* ".25" or nothing, in ns. */
static int64_t read_fraction(const char **s)
{
	int64_t ns = 0, unit = SECOND_NS;

	if (!skip(s, '.'))
		return 0;
	for (; **s >= '0' && **s <= '9'; (*s)++) {
		unit /= 10;
		ns += (**s - '0') * unit;
	}
	return ns;
}

/* "Z", "+01:00" or nothing: seconds east of Greenwich. */
static bool read_offset(const char **s, int *offset_s)
{
	const int sign = **s == '-' ? -1 : 1;
	int hours, minutes;

	*offset_s = 0;
	if (!**s || skip(s, 'Z'))
		return true;
	if (!skip(s, '+') && !skip(s, '-'))
		return false;
	hours = number(s, 2, 14);
	skip(s, ':');
	minutes = number(s, 2, 59);
	*offset_s = sign * (hours * 60 + minutes) * 60;
	return hours >= 0 && minutes >= 0;
}

static bool parse(const char *s, struct clock_time *out)
{
	int hour, minute, second = 0, offset_s = 0;
	int64_t fraction = 0, at_s;
	time_t day_s;

	if (!read_date(&s, out, &day_s))
		return false;
	hour = number(&s, 2, 23);
	if (hour < 0 || !skip(&s, ':') || (minute = number(&s, 2, 59)) < 0)
		return false;
	if (skip(&s, ':')) {
		second = number(&s, 2, 60);
		fraction = read_fraction(&s);
	}
	if (second < 0 || !read_offset(&s, &offset_s) || *s)
		return false;
	at_s = day_s + (hour * 60 + minute) * 60 + second - offset_s;
	if (!out->dated)
		at_s = (at_s + DAY_S) % DAY_S;
	out->ns = at_s * SECOND_NS + fraction;
	return true;
}

int clock_time_check(const char *text, const char *option)
{
	struct clock_time c;

	if (parse(text, &c))
		return 0;
	return err(
		-EINVAL,
		"%s: '%s' is no time of day: give 14:05, 14:05:30 or 2026-11-29T14:05:30, in UTC "
		"or with an offset (+01:00)",
		option, text);
}

int clock_time_find(const char *text, const char *option, const struct profile *p, int64_t *ns)
{
	const int64_t start = p->started_unix_ns, day = DAY_S * SECOND_NS;
	struct clock_time c;
	int rc = clock_time_check(text, option);

	if (rc)
		return rc;
	if (profile_run(p, RUN_MERGED))
		return err(-ENOENT,
			   "%s %s: in a merged profile captures stand one behind the other; give a "
			   "time since its start (2.5s)",
			   option, text);
	if (start <= 0)
		return err(-ENOENT, "%s %s: the profile does not say when it began", option, text);
	parse(text, &c);
	*ns = c.ns - start;
	if (c.dated)
		return 0;
	*ns = c.ns - start % day;
	if (*ns < 0 && *ns + day <= p->duration_ns)
		*ns += day;
	return 0;
}
