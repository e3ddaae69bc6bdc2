#include "format/html_table.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "paint/xml.h"

/* Rows of a table that stand in the page itself, for those who read it without its script; all
 * of them are in the data. */
#define STATIC_ROWS 30
/* Main columns that a window has room for; of more, those that the table can spare go behind the
 * button. */
#define MAIN_COLUMNS 16
/* The lowest step of a CELL_SPARK; the next ones are the next characters. */
#define SPARK_LOW "▁"

static const char *const cell_class[] = {
	[CELL_TEXT] = "text", [CELL_NUMBER] = "number", [CELL_PERCENT] = "number",
	[CELL_BAR] = "bar",   [CELL_SPARK] = "spark",
};

/* Columns for those who have the room show by a button; those of them in which nothing stands are
 * not written at all. */
static bool is_extra(const struct doc_table *t, size_t column)
{
	return t->extra_from && column >= t->extra_from;
}

static bool is_written(const struct doc_table *t, size_t column)
{
	size_t rows = doc_table_rows(t);

	if (!is_extra(t, column))
		return true;
	for (size_t r = 0; r < rows; r++) {
		const struct doc_cell *cell = &t->cells.at[r * t->columns.n + column];
		bool text = t->columns.at[column].kind == CELL_TEXT;

		if (text ? cell->text && cell->text[0] : cell->value != 0)
			return true;
	}
	return false;
}

/* Behind the button, though something stands in it. */
static bool is_spared(const struct doc_table *t, size_t column)
{
	size_t over = t->extra_from > MAIN_COLUMNS ? t->extra_from - MAIN_COLUMNS : 0;

	for (size_t i = 0; i < over && i < t->n_spare; i++)
		if (t->spare[i] == column)
			return true;
	return is_extra(t, column);
}

static const char *extra_class(const struct doc_table *t, size_t column)
{
	return is_spared(t, column) ? " extra" : "";
}

/* The column that says what a row is of: it stays in sight where the window is narrower than the
 * table. The first of code, as functions are; else the first of text; none: the number of columns.
 */
static size_t row_name_column(const struct doc_table *t)
{
	size_t text = t->columns.n;

	for (size_t c = t->columns.n; c-- > 0;)
		if (t->columns.at[c].kind == CELL_TEXT)
			text = c;
	for (size_t c = 0; c < t->columns.n && doc_table_rows(t); c++)
		if (t->cells.at[c].is_code)
			return c;
	return text;
}

/* One step wide each, eight high; a picture of numbers that stand beside it. */
static void spark_write(FILE *out, const char *class, const char *text)
{
	size_t steps = str_width(text);
	unsigned x = 0;

	fprintf(out,
		"<td%s><svg viewBox=\"0 0 %zu 8\" preserveAspectRatio=\"none\" "
		"aria-hidden=\"true\"><path d=\"M0 8",
		class, steps ? steps : 1);
	for (const char *s = text; *s; s += *s == ' ' ? 1 : strlen(SPARK_LOW), x++)
		fprintf(out, "V%dH%u", *s == ' ' ? 8 : 7 - (s[2] - SPARK_LOW[2]), x + 1);
	fputs("V8z\"/></svg></td>", out);
}

static void cell_write(FILE *out, const struct doc_table *t, size_t row, size_t c)
{
	const struct doc_column *column = &t->columns.at[c];
	const struct doc_cell *cell = &t->cells.at[row * t->columns.n + c];
	char class[64];

	snprintf(class, sizeof(class), " class=\"%s%s%s%s\"", cell_class[column->kind],
		 cell->is_code ? " code" : "", c == row_name_column(t) ? " rowname" : "",
		 extra_class(t, c));
	if (column->kind == CELL_BAR)
		fprintf(out,
			"<td%s><svg viewBox=\"0 0 100 8\" preserveAspectRatio=\"none\" "
			"aria-hidden=\"true\"><rect width=\"%.2f\" height=\"8\"/></svg></td>",
			class, isfinite(cell->value) ? fmax(0, fmin(100, cell->value)) : 0);
	else if (column->kind == CELL_SPARK)
		spark_write(out, class, cell->text);
	else
		xml_named(out, "td", class, cell->text ? cell->text : "");
}

/* What heads a column; a bar's stands beside the number that it draws, and has no heading. */
static void heading_cell_write(FILE *out, const struct doc_table *t, size_t c)
{
	const struct doc_column *column = &t->columns.at[c];
	const char *tag = column->title[0] ? "th" : "td";

	fprintf(out, "<%s%s class=\"%s%s%s\"", tag, column->title[0] ? " scope=\"col\"" : "",
		cell_class[column->kind], c == row_name_column(t) ? " rowname" : "",
		extra_class(t, c));
	if (column->help) {
		fputs(" title=\"", out);
		xml_text(out, column->help);
		fputs("\"", out);
	}
	fputs(">", out);
	xml_text(out, column->title);
	fprintf(out, "</%s>", tag);
}

static void columns_write(FILE *out, const struct doc_table *t)
{
	fputs("<thead><tr>", out);
	for (size_t c = 0; c < t->columns.n; c++)
		if (is_written(t, c))
			heading_cell_write(out, t, c);
	fputs("</tr></thead>\n", out);
}

static void rows_write(FILE *out, const struct doc_table *t)
{
	size_t rows = doc_table_rows(t), shown = rows < STATIC_ROWS ? rows : STATIC_ROWS;

	fputs("<tbody>\n", out);
	for (size_t r = 0; r < shown; r++) {
		fputs("<tr>", out);
		for (size_t c = 0; c < t->columns.n; c++)
			if (is_written(t, c))
				cell_write(out, t, r, c);
		fputs("</tr>\n", out);
	}
	fputs("</tbody>\n", out);
}

static void column_pack(struct pack *out, const struct doc_table *t, size_t c)
{
	enum cell_kind kind = t->columns.at[c].kind;
	const char *key = t->columns.at[c].key;
	size_t rows = doc_table_rows(t);

	pack_uint(out, kind);
	pack_uint(out, pack_string(out, key ? key : ""));
	pack_uint(out, is_spared(t, c));
	for (size_t r = 0; r < rows; r++) {
		const struct doc_cell *cell = &t->cells.at[r * t->columns.n + c];

		if (kind != CELL_BAR)
			pack_uint(out, pack_string(out, cell->text ? cell->text : ""));
		if (kind != CELL_TEXT)
			pack_float(out, cell->value);
	}
}

void html_table_pack(struct pack *out, const struct doc_table *t)
{
	size_t columns = 0;

	for (size_t c = 0; c < t->columns.n; c++)
		columns += is_written(t, c);
	pack_uint(out, columns);
	pack_uint(out, doc_table_rows(t));
	pack_uint(out, pack_string(out, t->file ? t->file : ""));
	for (size_t c = 0; c < t->columns.n; c++)
		if (is_written(t, c))
			column_pack(out, t, c);
}

void html_table(FILE *out, const struct doc_table *t, const char *caption, uint32_t number)
{
	fprintf(out, "<div class=\"table%s\" data-table=\"%u\">\n<table>\n",
		t->columns.n > MAIN_COLUMNS ? " many" : "", number);
	if (caption)
		xml_element(out, "caption", "", caption);
	columns_write(out, t);
	rows_write(out, t);
	fputs("</table>\n", out);
	if (doc_table_rows(t) > STATIC_ROWS)
		fprintf(out, "<p class=\"more\">%zu more rows are in the data of this page.</p>\n",
			doc_table_rows(t) - STATIC_ROWS);
	fputs("</div>\n", out);
}
