#include "cmd/listing.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "cmd/command.h"

#define GAP 2 /* spaces between two columns */

void listing_add(struct listing *l, const char *fmt, ...)
{
	_free_ char *text = NULL;
	va_list args;

	va_start(args, fmt);
	text = mem_vprintf(fmt, args);
	va_end(args);
	vec_push(&l->cells, str_clean(text, strlen(text)));
}

static size_t count_columns(const struct listing *l)
{
	size_t n = 0;

	while (l->headings[n])
		n++;
	return n;
}

static size_t width_of(const struct listing *l, size_t columns, size_t column)
{
	size_t most = str_width(l->headings[column]);

	for (size_t i = column; i < l->cells.n; i += columns) {
		size_t width = str_width(l->cells.at[i]);

		most = width > most ? width : most;
	}
	return most;
}

static void print_row(const char *const *cells, const size_t *widths, size_t columns)
{
	for (size_t i = 0; i < columns; i++) {
		const size_t pad = i + 1 < columns ? widths[i] + GAP - str_width(cells[i]) : 0;

		printf("%s%*s", cells[i], (int)pad, "");
	}
	puts("");
}

static void print_aligned(const struct listing *l, size_t columns)
{
	size_t *widths = mem_zalloc(columns, sizeof(*widths));

	render_help_charset();
	for (size_t i = 0; i < columns; i++)
		widths[i] = width_of(l, columns, i);
	print_row(l->headings, widths, columns);
	for (size_t i = 0; i < l->cells.n; i += columns)
		print_row((const char *const *)&l->cells.at[i], widths, columns);
	free(widths);
}

int listing_end(struct listing *l, int rc)
{
	const size_t columns = count_columns(l);

	if (!rc && isatty(STDOUT_FILENO))
		print_aligned(l, columns);
	else if (!rc)
		for (size_t i = 0; i < l->cells.n; i++)
			printf("%s%c", l->cells.at[i], (i + 1) % columns ? '\t' : '\n');
	for (size_t i = 0; i < l->cells.n; i++)
		free(l->cells.at[i]);
	vec_release(&l->cells);
	return rc;
}
