#include "import/tracy_row.h"

static const char *const statistics[] = {
	"name",	  "src_file", "src_line", "total_ns",	   "total_perc",	"counts", "mean_ns",
	"min_ns", "max_ns",   "std_ns",	  "percentile_ns", "truncated_mean_ns", NULL};
static const char *const calls[] = {"name",	    "src_file", "src_line", "ns_since_start",
				    "exec_time_ns", "thread",	"value",    NULL};

/* Columns behind src_file, per kind. */
static const size_t numbers[] = {[TRACY_STATISTICS] = 8, [TRACY_TRUNCATED] = 10, [TRACY_CALLS] = 5};

/* Whether @line is the first @n names, with @separator between them. */
static bool is_header(struct span line, struct span separator, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const size_t length = strlen(names[i]);

		if (!span_starts(line, names[i]))
			return false;
		line = span_from(line, length);
		if (i + 1 == n)
			return !line.n;
		if (line.n < separator.n || memcmp(line.s, separator.s, separator.n) != 0)
			return false;
		line = span_from(line, separator.n);
	}
	return false;
}

bool tracy_header_read(struct span line, struct tracy_header *h)
{
	static const struct {
		const char *const *names;
		size_t n;
		enum tracy_kind kind;
	} kinds[] = {{statistics, 10, TRACY_STATISTICS},
		     {statistics, 12, TRACY_TRUNCATED},
		     {calls, 7, TRACY_CALLS}};
	const char *file;

	if (!span_starts(line, "name"))
		return false;
	file = memmem(line.s, line.n, "src_file", 8);
	if (!file || file == line.s + 4)
		return false;
	h->separator = (struct span){line.s + 4, (size_t)(file - line.s - 4)};
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		h->kind = kinds[i].kind;
		if (is_header(line, h->separator, kinds[i].names, kinds[i].n))
			return true;
	}
	return false;
}

/* As a word of its own: mean_ns is not that of truncated_mean_ns. */
static size_t times_in(struct span line, const char *word)
{
	size_t n = 0;

	for (const char *at = line.s;
	     (at = memmem(at, line.n - (size_t)(at - line.s), word, strlen(word)));
	     at += strlen(word))
		n += at == line.s || at[-1] != '_';
	return n;
}

const char *tracy_header_twice(struct span line)
{
	for (size_t i = 2; statistics[i]; i++)
		if (times_in(line, statistics[i]) > 1)
			return statistics[i];
	return NULL;
}

/* Cuts the last column off. */
static bool take_last(struct span *line, struct span separator, struct span *out)
{
	for (size_t i = line->n; i >= separator.n; i--) {
		const size_t at = i - separator.n;

		if (memcmp(line->s + at, separator.s, separator.n) != 0)
			continue;
		*out = span_from(*line, at + separator.n);
		line->n = at;
		return true;
	}
	return false;
}

/* Where the field in quotes that ends the line begins; line.n: it ends in no such field. */
static size_t quoted_from(struct span line, struct span separator)
{
	if (line.n < 2 || line.s[line.n - 1] != '"')
		return line.n;
	for (size_t i = line.n - 1; i-- > 0;) {
		if (line.s[i] != '"')
			continue;
		/* One of a pair stands for itself. */
		if (i && line.s[i - 1] == '"') {
			i--;
			if (i)
				continue;
			return line.n;
		}
		if (!i || (i >= separator.n &&
			   !memcmp(line.s + i - separator.n, separator.s, separator.n)))
			return i;
		return line.n;
	}
	return line.n;
}

static void unquote(struct span field, struct str *out)
{
	const bool quoted = field.n >= 2 && field.s[0] == '"' && field.s[field.n - 1] == '"';

	out->n = 0;
	if (quoted)
		field = (struct span){field.s + 1, field.n - 2};
	for (size_t i = 0; i < field.n; i++) {
		str_addc(out, field.s[i]);
		if (quoted && field.s[i] == '"' && i + 1 < field.n && field.s[i + 1] == '"')
			i++;
	}
	str_addn(out, "", 0);
}

/* The file, and what is left: the name. */
static bool take_texts(struct span rest, struct span separator, struct tracy_row *row)
{
	const size_t from = quoted_from(rest, separator);
	struct span file;

	if (from < rest.n && from >= separator.n) {
		file = span_from(rest, from);
		rest.n = from - separator.n;
	} else if (!take_last(&rest, separator, &file)) {
		return false;
	}
	unquote(file, &row->file);
	unquote(rest, &row->name);
	return true;
}

static bool is_number(struct span field)
{
	int64_t value;

	return span_int(field, &value);
}

/* The text of a call (its value) may hold anything; so it is the numbers before it that are looked
 * for: four in a row, the first such behind two texts. Returns where they begin, line.n: nowhere.
 */
static size_t find_numbers(struct span line, struct span separator, struct tracy_row *row)
{
	struct span field[5] = {0};
	size_t from = 0, n = 0;

	for (;;) {
		const char *end = memmem(line.s + from, line.n - from, separator.s, separator.n);
		const size_t to = end ? (size_t)(end - line.s) : line.n;

		memmove(field, field + 1, 4 * sizeof(*field));
		field[4] = (struct span){line.s + from, to - from};
		n++;
		/* field[0 … 3]: the numbers; field[4] begins the value. */
		if (n >= 7 && is_number(field[0]) && is_number(field[1]) && is_number(field[2]) &&
		    is_number(field[3])) {
			for (size_t i = 0; i < 4; i++)
				row->numbers[i] = field[i];
			row->numbers[4] = span_from(line, (size_t)(field[4].s - line.s));
			return (size_t)(field[0].s - line.s);
		}
		if (!end)
			return line.n;
		from = to + separator.n;
	}
}

static bool read_call(struct span line, struct span separator, struct tracy_row *row)
{
	const size_t at = find_numbers(line, separator, row);

	if (at == line.n)
		return false;
	row->place = (struct span){line.s, at + row->numbers[0].n};
	return take_texts((struct span){line.s, at - separator.n}, separator, row);
}

bool tracy_row_read(struct span line, const struct tracy_header *h, struct tracy_row *row)
{
	struct span rest = line;

	if (h->kind == TRACY_CALLS)
		return read_call(line, h->separator, row);
	for (size_t i = numbers[h->kind]; i-- > 0;)
		if (!take_last(&rest, h->separator, &row->numbers[i]))
			return false;
	row->place = (struct span){line.s, rest.n + h->separator.n + row->numbers[0].n};
	return take_texts(rest, h->separator, row);
}

void tracy_row_release(struct tracy_row *row)
{
	str_release(&row->name);
	str_release(&row->file);
}
