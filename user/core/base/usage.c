#include "base/usage.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/err.h"

#define FAR  3	/* changes from which a name is another one */
#define LONG 40 /* longer names are no typos of ours */

static size_t least(size_t a, size_t b, size_t c)
{
	size_t ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/* Letters to change, add or take away (Levenshtein), row by row. */
static size_t distance(const char *a, const char *b)
{
	size_t n = strlen(b), row[LONG + 1];

	if (strlen(a) > LONG || n > LONG)
		return FAR;
	for (size_t k = 0; k <= n; k++)
		row[k] = k;
	for (size_t i = 0; a[i]; i++) {
		size_t diagonal = row[0]++;

		for (size_t k = 0; k < n; k++) {
			size_t above = row[k + 1];

			row[k + 1] = least(row[k] + 1, above + 1, diagonal + (a[i] != b[k]));
			diagonal = above;
		}
	}
	return row[n];
}

static const char *nearest(const char *name, const struct option *longopts)
{
	const char *best = NULL;
	size_t closest = FAR;

	for (; longopts->name; longopts++) {
		size_t d = distance(name, longopts->name);

		if (d < closest) {
			closest = d;
			best = longopts->name;
		}
	}
	return best;
}

static int unknown(const char *word, const struct option *longopts)
{
	size_t n = strcspn(word, "=");
	char name[LONG + 3] = "";
	const char *near;

	if (n < sizeof(name))
		memcpy(name, word, n);
	near = name[0] ? nearest(name + 2, longopts) : NULL;
	if (near)
		return err(-EINVAL, "unknown option '%.*s': is it --%s?", (int)n, word, near);
	return err(-EINVAL, "unknown option '%.*s'", (int)n, word);
}

int usage_option(int got, char *const *argv, const struct option *longopts)
{
	const char *word = argv[optind - 1];

	if (got == ':')
		return err(-EINVAL, "option '%s' needs a value", word);
	if (optopt && !strncmp(word, "--", 2) && strchr(word, '='))
		return err(-EINVAL, "option '%.*s' takes no value", (int)strcspn(word, "="), word);
	if (optopt)
		return err(-EINVAL, "unknown option '-%c'", optopt);
	return unknown(word, longopts);
}
