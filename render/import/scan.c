#include "import/scan.h"

#include <math.h>
#include <stdlib.h>

#define DOUBLE_MOST 400 /* bytes of a number in digits: DBL_MAX has 309, and a fraction */

size_t span_find(struct span a, char c)
{
	const char *at = a.n ? memchr(a.s, c, a.n) : NULL;

	return at ? (size_t)(at - a.s) : a.n;
}

size_t span_find_last(struct span a, char c)
{
	const char *at = a.n ? memrchr(a.s, c, a.n) : NULL;

	return at ? (size_t)(at - a.s) : a.n;
}

struct span span_trim(struct span a)
{
	while (a.n && is_blank(a.s[a.n - 1]))
		a.n--;
	while (a.n && is_blank(a.s[0]))
		a = span_from(a, 1);
	return a;
}

struct span span_word(struct span *rest)
{
	size_t n = 0;

	while (rest->n && is_blank(rest->s[0]))
		*rest = span_from(*rest, 1);
	while (n < rest->n && !is_blank(rest->s[n]))
		n++;
	*rest = span_from(*rest, n);
	return (struct span){rest->s - n, n};
}

struct span span_take(struct span *a, char c)
{
	const size_t n = span_find(*a, c);
	const struct span first = {a->s, n};

	*a = span_from(*a, n < a->n ? n + 1 : n);
	return first;
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 16;
}

bool span_number(struct span a, int base, uint64_t max, uint64_t *out)
{
	uint64_t value = 0;

	for (size_t i = 0; i < a.n; i++) {
		const int digit = digit_of(a.s[i]);

		if (digit >= base || __builtin_mul_overflow(value, (uint64_t)base, &value) ||
		    __builtin_add_overflow(value, (uint64_t)digit, &value) || value > max)
			return false;
	}
	*out = value;
	return a.n > 0;
}

bool span_int(struct span a, int64_t *out)
{
	const bool minus = a.n && a.s[0] == '-';
	uint64_t value;

	if (a.n && (a.s[0] == '-' || a.s[0] == '+'))
		a = span_from(a, 1);
	if (!span_number(a, 10, INT64_MAX, &value))
		return false;
	*out = minus ? -(int64_t)value : (int64_t)value;
	return true;
}

/* No locale is ever set, so the point is a point. */
uint32_t span_cut_number(struct span *s)
{
	const size_t colon = span_find_last(*s, ':');
	uint64_t n;

	if (colon == s->n || !span_number(span_from(*s, colon + 1), 10, UINT32_MAX, &n))
		return 0;
	s->n = colon;
	return (uint32_t)n;
}

bool span_double(struct span a, double *out)
{
	char text[DOUBLE_MOST + 1], *end;

	if (!a.n || a.n > DOUBLE_MOST)
		return false;
	for (size_t i = 0; i < a.n; i++)
		if (!a.s[i] || !strchr("0123456789+-.eE", a.s[i]))
			return false;
	memcpy(text, a.s, a.n);
	text[a.n] = 0;
	*out = strtod(text, &end);
	return end == text + a.n && isfinite(*out);
}
