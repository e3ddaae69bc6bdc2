#include "select/version.h"

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "base/vec.h"

/* A part of the text. */
struct piece {
	const char *at;
	size_t n;
};

enum version_class { CLASS_NONE, CLASS_NATURAL, CLASS_VERSION };

struct parsed {
	enum version_class class;
	struct piece core;    /* "1.2.3" */
	struct piece before;  /* the pre-release, without '-' or '~'; n 0: none */
	struct piece patch;   /* a word behind the number that is no pre-release */
	struct piece commits; /* since the tag; n 0: none */
	bool dirty;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static size_t span(const char *s, size_t n, bool (*is)(char))
{
	size_t i = 0;

	while (i < n && is(s[i]))
		i++;
	return i;
}

/* Compares numbers of any length. */
static int compare_digits(struct piece a, struct piece b)
{
	int c;

	for (; a.n && *a.at == '0'; a.at++)
		a.n--;
	for (; b.n && *b.at == '0'; b.at++)
		b.n--;
	c = order_up(a.n, b.n);
	return c || !a.n ? c : memcmp(a.at, b.at, a.n);
}

static struct piece cut(struct piece *from, size_t n)
{
	const struct piece first = {from->at, n};

	from->at += n;
	from->n -= n;
	return first;
}

/* Compares digits by their value, all else by its bytes. */
static int compare_natural(struct piece a, struct piece b)
{
	while (a.n && b.n) {
		size_t da = span(a.at, a.n, is_digit), db = span(b.at, b.n, is_digit);
		int c;

		if (da && db)
			c = compare_digits(cut(&a, da), cut(&b, db));
		else
			c = *(const unsigned char *)cut(&a, 1).at -
			    *(const unsigned char *)cut(&b, 1).at;
		if (c)
			return c;
	}
	return order_up(a.n, b.n);
}

/* Cuts off the part of @from up to a '.', and the '.'. */
static struct piece cut_field(struct piece *from)
{
	const char *dot = from->n ? memchr(from->at, '.', from->n) : NULL;
	struct piece first = cut(from, dot ? (size_t)(dot - from->at) : from->n);

	if (dot)
		cut(from, 1);
	return first;
}

static int compare_core(struct piece a, struct piece b)
{
	int c = 0;

	while (!c && (a.n || b.n))
		c = compare_digits(cut_field(&a), cut_field(&b));
	return c;
}

static bool is_number(struct piece p)
{
	return p.n && span(p.at, p.n, is_digit) == p.n;
}

/* semver, 11.4: numbers by value and before words; fewer fields before more. Words are compared in
 * natural order, so that rc9 comes before rc10. */
static int compare_before(struct piece a, struct piece b)
{
	int c = 0;

	/* Without one it is the release itself, which is later. */
	if (!a.n || !b.n)
		return order_up(!a.n, !b.n);
	while (!c && a.n && b.n) {
		struct piece x = cut_field(&a), y = cut_field(&b);

		if (is_number(x) != is_number(y))
			c = is_number(x) ? -1 : 1;
		else
			c = compare_natural(x, y);
	}
	return c ?: order_up(a.n, b.n);
}

static bool ends(struct piece p, const char *with)
{
	size_t n = strlen(with);

	return p.n >= n && !memcmp(p.at + p.n - n, with, n);
}

/* Cuts "-5-gabc1234" off the end. */
static void cut_commits(struct piece *rest, struct parsed *v)
{
	size_t hex = 0, digits = 0;
	const char *end = rest->at + rest->n;

	while (hex < rest->n && isxdigit((unsigned char)end[-1 - (ptrdiff_t)hex]))
		hex++;
	if (hex < 4 || rest->n < hex + 4 || memcmp(end - hex - 2, "-g", 2) != 0)
		return;
	end -= hex + 2;
	while (digits < rest->n - hex - 2 && is_digit(end[-1 - (ptrdiff_t)digits]))
		digits++;
	if (!digits || digits == rest->n - hex - 2 || end[-1 - (ptrdiff_t)digits] != '-')
		return;
	v->commits = (struct piece){end - digits, digits};
	rest->n -= hex + 2 + digits + 1;
}

/* Whether @p begins with a word for a pre-release, in any case. */
static bool is_before(struct piece p)
{
	static const char *const words[] = {"a",  "alpha", "b",	      "beta", "c",
					    "rc", "pre",   "preview", "dev",  "snapshot"};
	size_t n = 0;

	while (n < p.n && isalpha((unsigned char)p.at[n]))
		n++;
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strlen(words[i]) == n && !strncasecmp(p.at, words[i], n) &&
		    /* 1.1.1a is a patch, 1.1a1 is not. */
		    (n > 1 || p.n > 1))
			return true;
	return false;
}

static bool is_core(char c)
{
	return is_digit(c) || c == '.';
}

/* Parses what follows the number. */
static void parse_rest(struct piece rest, struct parsed *v)
{
	const char *plus = rest.n ? memchr(rest.at, '+', rest.n) : NULL;

	if (ends(rest, "-dirty")) {
		rest.n -= strlen("-dirty");
		v->dirty = true;
	}
	cut_commits(&rest, v);
	if (plus && plus < rest.at + rest.n)
		rest.n = (size_t)(plus - rest.at);
	if (rest.n && (*rest.at == '-' || *rest.at == '~')) {
		cut(&rest, 1);
		v->before = rest;
	} else if (is_before(rest)) {
		v->before = rest;
	} else {
		v->patch = rest;
	}
}

/* A commit or a build-id, which have no order. */
static bool is_hash(struct piece p)
{
	bool letter = false;

	for (size_t i = 0; i < p.n; i++) {
		if (!isxdigit((unsigned char)p.at[i]))
			return false;
		letter |= !is_digit(p.at[i]);
	}
	return p.n >= 7 && letter;
}

static struct parsed parse(const char *text)
{
	struct piece rest = {text, strlen(text)};
	struct parsed v = {.class = CLASS_NATURAL};

	if (ends(rest, "-dirty") && is_hash((struct piece){text, rest.n - strlen("-dirty")}))
		return v.class = CLASS_NONE, v;
	if (!rest.n || is_hash(rest) || !strcmp(text, VERSION_NONE))
		return v.class = CLASS_NONE, v;
	if ((*rest.at == 'v' || *rest.at == 'V') && is_digit(rest.at[1]))
		cut(&rest, 1);
	if (!is_digit(*rest.at))
		return v;
	v.class = CLASS_VERSION;
	v.core = cut(&rest, span(rest.at, rest.n, is_core));
	parse_rest(rest, &v);
	return v;
}

int version_compare(const char *a, const char *b)
{
	const struct parsed x = parse(a), y = parse(b);
	int c = (int)x.class - (int)y.class;

	if (c || x.class == CLASS_NONE)
		return c;
	if (x.class == CLASS_NATURAL)
		return compare_natural((struct piece){a, strlen(a)}, (struct piece){b, strlen(b)});
	return compare_core(x.core, y.core)
		       ?: compare_natural(x.patch, y.patch)
		       ?: compare_before(x.before, y.before)
		       ?: compare_digits(x.commits, y.commits) ?: (int)x.dirty - (int)y.dirty;
}
