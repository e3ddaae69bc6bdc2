/*
 * A table as text. Where the terminal is too narrow, curves go first, then bars, the last one
 * before the others, then the columns that the table can spare, then texts are cut in the middle;
 * where even that is not enough, the last columns go, but for the first one and the names.
 */
#include "format/txt.h"

#include "base/str.h"
#include "base/units.h"
#include "query/short_name.h"

#define GAP	    2
#define MAX_COLUMNS 40
#define TEXT_WANTED 40 /* columns of text below which bars give way */
#define MIN_TEXT    8
#define PIPE_TEXT   48 /* pads a text up to this where nothing limits the width */

struct layout {
	size_t rows, columns;
	size_t width[MAX_COLUMNS]; /* 0: not shown */
	size_t text;		   /* sum of the text columns' widths */
	size_t fixed;		   /* all others and the gaps */
};

static const char *cell_text(const struct doc_table *t, size_t row, size_t column)
{
	const char *text = t->cells.at[row * t->columns.n + column].text;

	return text ? text : "";
}

static size_t natural_width(const struct doc_table *t, size_t column, size_t rows)
{
	size_t width = str_width(t->columns.at[column].title);

	if (t->columns.at[column].kind == CELL_BAR)
		return TERM_BAR_COLUMNS;
	for (size_t row = 0; row < rows; row++) {
		size_t w = str_width(cell_text(t, row, column));

		width = w > width ? w : width;
	}
	return width;
}

static void sum_widths(const struct doc_table *t, struct layout *l)
{
	l->text = 0;
	l->fixed = TXT_MARGIN;
	for (size_t i = 0; i < l->columns; i++) {
		bool text = t->columns.at[i].kind == CELL_TEXT;

		if (!l->width[i])
			continue;
		l->fixed += GAP + (text ? 0 : l->width[i]);
		l->text += text ? l->width[i] : 0;
	}
	l->fixed -= GAP;
}

/* Drops columns of @kind, the last first, while texts are short of room: of up to @most. */
static void drop_kind(const struct doc_table *t, enum cell_kind kind, size_t most, size_t limit,
		      struct layout *l)
{
	for (size_t i = l->columns; i-- > 0;) {
		size_t wanted = l->text < most ? l->text : most;

		if (l->fixed + wanted <= limit)
			return;
		if (t->columns.at[i].kind == kind) {
			l->width[i] = 0;
			sum_widths(t, l);
		}
	}
}

/* Drops the columns that the table can spare, in its order, while texts are short of room. */
static void drop_spare(const struct doc_table *t, size_t limit, struct layout *l)
{
	for (size_t i = 0; i < t->n_spare; i++) {
		size_t wanted = l->text < TEXT_WANTED ? l->text : TEXT_WANTED;

		if (l->fixed + wanted <= limit)
			return;
		l->width[t->spare[i]] = 0;
		sum_widths(t, l);
	}
}

/* The last text columns are cut to a third of the room each before the first one is. */
static void cut_texts(const struct doc_table *t, size_t limit, struct layout *l)
{
	size_t room = limit > l->fixed ? limit - l->fixed : 0;

	for (size_t i = l->columns; i-- > 0 && l->text > room;) {
		size_t others = l->text - l->width[i], least = room / 3, width;

		if (t->columns.at[i].kind != CELL_TEXT)
			continue;
		if (others < l->text && others == 0)
			least = MIN_TEXT;
		width = room > others ? room - others : 0;
		width = width < least ? least : width;
		width = width < MIN_TEXT ? MIN_TEXT : width;
		if (width < l->width[i]) {
			l->text -= l->width[i] - width;
			l->width[i] = width;
		}
	}
}

/* The column of names: the first that has code, else the first of text. */
static size_t name_column(const struct doc_table *t, const struct layout *l)
{
	size_t text = 0;

	for (size_t i = l->columns; i-- > 0;) {
		text = t->columns.at[i].kind == CELL_TEXT ? i : text;
		if (l->rows && t->cells.at[i].is_code)
			return i;
	}
	return text;
}

/* Drops the last columns while the texts have no room at all. */
static void drop_last(const struct doc_table *t, size_t limit, struct layout *l)
{
	const size_t names = name_column(t, l);
	size_t least = l->width[names] < MIN_TEXT ? l->width[names] : MIN_TEXT;

	for (size_t i = l->columns; i-- > 1;) {
		size_t texts = 0;

		for (size_t k = 0; k < l->columns; k++)
			if (k != names && t->columns.at[k].kind == CELL_TEXT)
				texts += l->width[k] < MIN_TEXT ? l->width[k] : MIN_TEXT;
		if (l->fixed + texts + least <= limit)
			return;
		if (i != names) {
			l->width[i] = 0;
			sum_widths(t, l);
		}
	}
}

static void lay_out(const struct term *term, const struct doc_table *t, size_t rows,
		    struct layout *l)
{
	const size_t most = rows ? rows : t->terminal_rows;

	l->columns = t->extra_from ? t->extra_from : t->columns.n;
	l->columns = l->columns < MAX_COLUMNS ? l->columns : MAX_COLUMNS;
	l->rows = doc_table_rows(t);
	if (most && most < l->rows)
		l->rows = most;
	for (size_t i = 0; i < l->columns; i++) {
		l->width[i] = natural_width(t, i, l->rows);
		if (!term->width && t->columns.at[i].kind == CELL_TEXT && l->width[i] > PIPE_TEXT)
			l->width[i] = PIPE_TEXT;
	}
	sum_widths(t, l);
	if (term->width) {
		drop_kind(t, CELL_SPARK, SIZE_MAX, term->width, l);
		drop_kind(t, CELL_BAR, TEXT_WANTED, term->width, l);
		drop_spare(t, term->width, l);
		drop_last(t, term->width, l);
		cut_texts(t, term->width, l);
	}
}

static void put_cell(struct term *term, const struct layout *l, const struct doc_column *column,
		     const struct doc_cell *cell, size_t i, size_t last)
{
	enum term_style style = TERM_PLAIN;
	const char *text = cell->text ? cell->text : "";
	_free_ char *brief = NULL, *cut = NULL;

	if (column->kind == CELL_BAR) {
		term_bar(term, cell->value);
		return;
	}
	if (column->kind != CELL_TEXT) {
		style = column->kind == CELL_PERCENT && cell->value >= 5 ? TERM_STRONG : TERM_PLAIN;
		term_right(term, style, l->width[i], text);
		return;
	}
	if (cell->is_code && term->width && str_width(text) > l->width[i])
		text = brief = short_name(text, term->ascii ? "..." : "…");
	cut = term_cut(term, text, term->width ? l->width[i] : (size_t)-1);
	style = term_frame_style(cell->code);
	if (i == last)
		term_put(term, style, cut);
	else
		term_left(term, style, l->width[i], cut);
}

/* The last column with something to show: nothing is padded behind it. */
static size_t last_shown(const struct doc_table *t, const struct layout *l, size_t row)
{
	size_t i = l->columns;

	while (i-- > 1) {
		bool bar = t->columns.at[i].kind == CELL_BAR;

		if (l->width[i] && (bar || cell_text(t, row, i)[0]))
			return i;
	}
	return 0;
}

static void put_row(struct term *term, const struct doc_table *t, const struct layout *l,
		    size_t row)
{
	size_t last = last_shown(t, l, row);

	term_spaces(term, TXT_MARGIN);
	for (size_t i = 0; i <= last; i++) {
		if (!l->width[i])
			continue;
		put_cell(term, l, &t->columns.at[i], &t->cells.at[row * t->columns.n + i], i, last);
		if (i < last)
			term_spaces(term, GAP);
	}
	fputc('\n', term->out);
}

static void put_titles(struct term *term, const struct doc_table *t, const struct layout *l)
{
	size_t end = l->columns;

	while (end > 1 && !l->width[end - 1])
		end--;
	term_spaces(term, TXT_MARGIN);
	for (size_t i = 0; i < end; i++) {
		bool text = t->columns.at[i].kind == CELL_TEXT, last = i + 1 == end;
		_free_ char *title = NULL;

		if (!l->width[i])
			continue;
		title = term_cut(term, t->columns.at[i].title,
				 term->width ? l->width[i] : (size_t)-1);
		if (text && last)
			term_put(term, TERM_DIM, title);
		else if (text)
			term_left(term, TERM_DIM, l->width[i], title);
		else
			term_right(term, TERM_DIM, l->width[i], t->columns.at[i].title);
		if (!last)
			term_spaces(term, GAP);
	}
	fputc('\n', term->out);
}

void txt_table(struct term *term, const struct doc_table *t, size_t rows)
{
	struct layout l = {0};
	size_t left;

	lay_out(term, t, rows, &l);
	put_titles(term, t, &l);
	for (size_t row = 0; row < l.rows; row++)
		put_row(term, t, &l, row);
	left = doc_table_rows(t) - l.rows;
	if (left) {
		_free_ char *more = doc_more(t, left);

		term_spaces(term, TXT_MARGIN);
		term_put(term, TERM_DIM, more);
		fputc('\n', term->out);
	}
}
