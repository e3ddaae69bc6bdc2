/*
 * scan: pieces of a line of text, for importers. A span is cut down from either end; nothing is
 * copied. And what is known of texts that come again.
 */
#ifndef IMPORT_SCAN_H
#define IMPORT_SCAN_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/input.h"
#include "base/intern.h"

static inline bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static inline struct span span_of(const char *s)
{
	return (struct span){s, strlen(s)};
}

static inline bool span_is(struct span a, const char *text)
{
	return a.n == strlen(text) && !memcmp(a.s, text, a.n);
}

static inline bool span_starts(struct span a, const char *text)
{
	return a.n >= strlen(text) && !memcmp(a.s, text, strlen(text));
}

static inline bool span_ends(struct span a, const char *text)
{
	const size_t n = strlen(text);

	return a.n >= n && !memcmp(a.s + a.n - n, text, n);
}

/* Without its first @n bytes, of which it has so many. */
static inline struct span span_from(struct span a, size_t n)
{
	return (struct span){a.s + n, a.n - n};
}

/* Where @c first stands, or last; a.n: nowhere. */
size_t span_find(struct span, char c);
size_t span_find_last(struct span, char c);
/* Cuts ":12" off the end, and returns the number; 0: there is none. */
uint32_t span_cut_number(struct span *);
/* Blanks and tabs at both ends cut off. */
struct span span_trim(struct span);
/* The next word of @rest, which is cut off with the blanks before it; n 0: no more. */
struct span span_word(struct span *rest);
/* What stands before the first @c, which is cut off with it; all where there is none. */
struct span span_take(struct span *, char c);

/* All of the digits of an unsigned number of base 10 or 16, no more than @max. False: there are
 * none, there is something else, or it is larger. */
bool span_number(struct span, int base, uint64_t max, uint64_t *out);
/* The same with a sign perhaps; from -INT64_MAX on, which may be negated. */
bool span_int(struct span, int64_t *out);
/* A finite decimal number, as strtod(3) in the C locale takes it: no hexadecimal, no NaN. */
bool span_double(struct span, double *out);

/* What was made of texts that come again by the million, such as the frame of "memcpy (libc.so.6)".
 * A zeroed one knows nothing. */
struct known {
	struct intern texts;
	VEC(uint32_t) values; /* by the text's number */
};

/* The value of @text; *@fresh: it is new, and the caller sets it. Valid until the next call. */
static inline uint32_t *known_at(struct known *k, struct span text, bool *fresh)
{
	const uint32_t id = intern_addn(&k->texts, text.s, text.n);

	/* "", which every intern has, may be met first or last. */
	while (k->values.n <= id)
		vec_push(&k->values, UINT32_MAX);
	*fresh = k->values.at[id] == UINT32_MAX;
	return &k->values.at[id];
}

static inline void known_release(struct known *k)
{
	intern_release(&k->texts);
	vec_release(&k->values);
}

#endif
