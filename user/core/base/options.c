#include "base/options.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"

/* --- what is wrong with an option --------------------------------------------------------------
 */

#define FAR  3	/* names that differ in so many letters are not alike */
#define LONG 40 /* no option is longer */

static size_t least(size_t a, size_t b, size_t c)
{
	size_t ab = a < b ? a : b;

	return ab < c ? ab : c;
}

/* How many letters must be changed, added or removed (Levenshtein), row by row. */
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

/* --- tables ------------------------------------------------------------------------------------
 */

#define OPTIONS_MOST 64
#define FIRST	     0x100 /* getopt's number of the first option: letters are smaller */

/* All tables in one, as getopt_long(3) takes them. */
struct flat {
	size_t n, n_longs;
	struct option longs[OPTIONS_MOST + 1];
	const struct option_row *rows[OPTIONS_MOST];
	char *fields[OPTIONS_MOST];
	char letters[3 + 2 * OPTIONS_MOST];
};

/* As getopt_long(3) says it. */
static int takes_value(const struct option_row *row)
{
	switch ((enum option_kind)row->kind) {
	case OPTION_TEXT:
	case OPTION_NS:
	case OPTION_WORD:
	case OPTION_COUNT:
	case OPTION_TAKE:
		return required_argument;
	case OPTION_TAKE_MAYBE:
		return optional_argument;
	default:
		return no_argument;
	}
}

/* The index of the option of that name; f->n: there is none. */
static size_t find(const struct flat *f, const char *name)
{
	size_t i = 0;

	while (i < f->n && (!f->rows[i]->name || strcmp(f->rows[i]->name, name) != 0))
		i++;
	return i;
}

static void add(struct flat *f, const struct option_row *row, char *arguments)
{
	const int value = takes_value(row);
	const size_t end = strlen(f->letters);

	if (row->name && find(f, row->name) < f->n)
		return;
	assert(f->n < OPTIONS_MOST);
	if (row->name)
		f->longs[f->n_longs++] = (struct option){row->name, value, NULL, FIRST + (int)f->n};
	f->rows[f->n] = row;
	f->fields[f->n++] = arguments + row->at;
	f->letters[end] = row->letter;
	f->letters[end + 1] = row->letter && value ? ':' : 0;
}

static void flatten(struct flat *f, const struct option_row *rows, char *arguments)
{
	for (; rows->kind; rows++) {
		if (rows->kind == OPTION_TABLE)
			flatten(f, rows->rows, arguments + rows->at);
		else if (rows->kind != OPTION_IN_ORDER)
			add(f, rows, arguments);
	}
}

static size_t of_letter(const struct flat *f, int letter)
{
	size_t i = 0;

	while (f->rows[i]->letter != letter)
		i++;
	return i;
}

static int take_word(const struct option_row *row, unsigned *field, const char *value)
{
	const char *const *words = row->words;
	struct str list = {0};
	int rc;

	for (*field = 0; words[*field]; ++*field)
		if (!strcmp(words[*field], value))
			return 0;
	for (size_t i = 0; words[i]; i++)
		str_addf(&list, "%s%s", !i ? "" : words[i + 1] ? ", " : " or ", words[i]);
	rc = err(-EINVAL, "--%s is %s, not '%s'", row->name, str_text(&list), value);
	str_release(&list);
	return rc;
}

static int take_count(const struct option_row *row, unsigned *field, const char *value)
{
	_free_ char *what = mem_printf("--%s", row->name);
	int64_t n = 0;
	int rc = units_parse_int(value, what, row->range.least, row->range.most, &n);

	*field = (unsigned)n;
	return rc;
}

static int take(const struct option_row *row, void *field, const char *value)
{
	_free_ char *what = NULL;

	switch ((enum option_kind)row->kind) {
	case OPTION_TEXT:
		*(const char **)field = value;
		return 0;
	case OPTION_FLAG:
	case OPTION_CLEAR:
		*(bool *)field = row->kind == OPTION_FLAG;
		return 0;
	case OPTION_NS:
		what = mem_printf("--%s", row->name);
		return units_parse_ns(value, what, field);
	case OPTION_WORD:
		return take_word(row, field, value);
	case OPTION_COUNT:
		return take_count(row, field, value);
	case OPTION_TAKE:
	case OPTION_TAKE_PLAIN:
	case OPTION_TAKE_MAYBE:
		return row->take(field, value);
	case OPTION_STOP:
		return (int)row->at;
	case OPTION_TABLE:
	case OPTION_IN_ORDER:
		break;
	}
	return 0;
}

int options_read(const struct option_row *rows, int argc, char **argv, void *arguments)
{
	struct flat f = {.letters = ":"};
	int got, rc = 0;

	if (rows->kind == OPTION_IN_ORDER)
		strcpy(f.letters, "+:");
	flatten(&f, rows, arguments);
	optind = 0; /* start over */
	opterr = 0;
	while (!rc && (got = getopt_long(argc, argv, f.letters, f.longs, NULL)) != -1) {
		size_t i;

		if (got == '?' || got == ':')
			return usage_option(got, argv, f.longs);
		i = got < FIRST ? of_letter(&f, got) : (size_t)(got - FIRST);
		rc = take(f.rows[i], f.fields[i], optarg);
	}
	return rc;
}

int options_take(const struct option_row *rows, const char *name, const char *value,
		 void *arguments)
{
	struct flat f = {.letters = ":"};
	size_t i;

	flatten(&f, rows, arguments);
	i = find(&f, name);
	assert(i < f.n);
	return take(f.rows[i], f.fields[i], value);
}
