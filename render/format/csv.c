/*
 * csv: the tables of a report for other programs, as RFC 4180 has it: a line of names, then rows,
 * fields in quotes where they hold a comma, a quote or the end of a line, lines that end in CRLF.
 * Numbers are plain: ns, not "1.2 ms"; percentages from 0 to 100. Of several tables each follows
 * on an empty line. A text that a spreadsheet would run as a formula has an apostrophe before it.
 */
#include "format/format.h"

#include <errno.h>
#include <math.h>

#include "base/err.h"
#include "paint/csv.h"

static void put_titles(FILE *out, const struct doc_table *t)
{
	bool first = true;

	for (size_t i = 0; i < t->columns.n; i++) {
		if (cell_is_drawn(t->columns.at[i].kind))
			continue;
		csv_text(out, first ? "" : ",", t->columns.at[i].key);
		first = false;
	}
	fputs("\r\n", out);
}

static void put_cell(FILE *out, const char *before, const struct doc_column *column,
		     const struct doc_cell *cell)
{
	_free_ char *number = NULL;

	if (cell->raw) {
		csv_text(out, before, cell->raw);
	} else if (column->kind == CELL_TEXT) {
		csv_text(out, before, cell->text ? cell->text : "");
	} else {
		number = isfinite(cell->value) ? mem_printf("%.15g", cell->value) : mem_strdup("");
		csv_field(out, before, number);
	}
}

static void put_row(FILE *out, const struct doc_table *t, size_t row)
{
	bool first = true;

	for (size_t i = 0; i < t->columns.n; i++) {
		if (cell_is_drawn(t->columns.at[i].kind))
			continue;
		put_cell(out, first ? "" : ",", &t->columns.at[i],
			 &t->cells.at[row * t->columns.n + i]);
		first = false;
	}
	fputs("\r\n", out);
}

static void put_rows(FILE *out, const struct doc_table *t, size_t most)
{
	const size_t n = doc_table_rows(t);

	for (size_t row = 0; row < n && row < most; row++)
		put_row(out, t, row);
}

/* The rows that the document does not hold, some at a time. */
static int put_rest(FILE *out, const struct doc_table *t)
{
	struct doc_table some = {.columns = t->columns};
	size_t left = t->rest.most ? t->rest.most : SIZE_MAX;

	while (left && t->rest.fill && t->rest.fill(t->rest.of, &some)) {
		const size_t n = doc_table_rows(&some);

		put_rows(out, &some, left);
		left -= n < left ? n : left;
		doc_clear(&some);
	}
	doc_clear(&some);
	vec_release(&some.cells);
	return t->rest.end ? t->rest.end(t->rest.of) : 0;
}

static int csv_write(const struct doc *doc, const struct format_options *options, FILE *out)
{
	bool any = false;
	int rc = 0;

	(void)options;
	vec_each (b, &doc->blocks) {
		if (rc || b->kind != BLOCK_TABLE)
			continue;
		if (any)
			fputs("\r\n", out);
		any = true;
		put_titles(out, &b->table);
		put_rows(out, &b->table, SIZE_MAX);
		rc = put_rest(out, &b->table);
	}
	if (!any)
		return err(-EINVAL, "csv holds tables, and there is none here: see --view");
	return rc;
}

const struct format csv_format = {
	.extension = "csv",
	.about = "tables with every column and every row: zones, else functions",
	.medium = DOC_TABLE,
	.one_view = true,
	.all_rows = true,
	.write = csv_write,
};
