/* A table over as many pages as it needs, its titles repeated on each. */
#include "format/sheet.h"

#include "base/units.h"

#define ROW	    13.0
#define TITLE_ROW   16.0
#define GAP	    12.0
#define BAR_WIDTH   70.0
#define BAR_HEIGHT  7.0
#define MAX_COLUMNS 40
#define NEEDED_ROWS 4	/* a table does not start with fewer at the foot of a page */
#define MEASURED    400 /* rows by which columns are measured */
#define TEXT_LEAST  60.0
#define TEXT_WANTED 260.0 /* room for texts below which spare columns give way */

struct layout {
	size_t rows, columns;
	double x[MAX_COLUMNS], width[MAX_COLUMNS]; /* width 0: not shown */
};

static enum canvas_font cell_font(const struct doc_cell *cell)
{
	return cell->is_code ? FONT_MONO : FONT_BODY;
}

static double natural_width(struct sheet *s, const struct doc_table *t, size_t column, size_t rows)
{
	double width = canvas_width(&s->canvas, FONT_SMALL, t->columns.at[column].title);

	if (t->columns.at[column].kind == CELL_BAR)
		return BAR_WIDTH;
	for (size_t row = 0; row < rows && row < MEASURED; row++) {
		const struct doc_cell *cell = &t->cells.at[row * t->columns.n + column];
		double w = canvas_width(&s->canvas, cell_font(cell), cell->text ? cell->text : "");

		width = w > width ? w : width;
	}
	return width + 1;
}

/* The width that texts want, and what numbers and gaps leave for them. */
static void sum_widths(const struct sheet *s, const struct doc_table *t, const struct layout *l,
		       double *text, double *room)
{
	*room = sheet_room(s) + GAP;
	*text = 0;
	for (size_t i = 0; i < l->columns; i++) {
		bool is_text = t->columns.at[i].kind == CELL_TEXT;

		if (!l->width[i])
			continue;
		*room -= GAP + (is_text ? 0 : l->width[i]);
		*text += is_text ? l->width[i] : 0;
	}
}

/* Drops the columns that the table can spare, in its order, while texts are short of room. */
static void drop_spare(const struct sheet *s, const struct doc_table *t, struct layout *l)
{
	double text, room;

	for (size_t i = 0; i < t->n_spare; i++) {
		sum_widths(s, t, l, &text, &room);
		if (room >= (text < TEXT_WANTED ? text : TEXT_WANTED))
			return;
		l->width[t->spare[i]] = 0;
	}
}

/* Drops bars, the last first, while texts are short of room. */
static void drop_bars(const struct sheet *s, const struct doc_table *t, struct layout *l)
{
	double text, room;

	for (size_t i = l->columns; i-- > 0;) {
		sum_widths(s, t, l, &text, &room);
		if (room >= (text < TEXT_WANTED ? text : TEXT_WANTED))
			return;
		if (t->columns.at[i].kind == CELL_BAR)
			l->width[i] = 0;
	}
}

/* Gives texts what numbers leave: the last ones at most a third of it, the first one the rest. */
static void fit_texts(const struct sheet *s, const struct doc_table *t, struct layout *l)
{
	double room, text;

	sum_widths(s, t, l, &text, &room);
	for (size_t i = l->columns; i-- > 0 && text > room;) {
		double others = text - l->width[i], width = room - others;

		if (t->columns.at[i].kind != CELL_TEXT)
			continue;
		width = others > 0 && width < room / 3 ? room / 3 : width;
		width = width < TEXT_LEAST ? TEXT_LEAST : width;
		if (width < l->width[i]) {
			text -= l->width[i] - width;
			l->width[i] = width;
		}
	}
}

static void lay_out(struct sheet *s, const struct doc_table *t, struct layout *l)
{
	size_t limit = s->options->rows	 ? s->options->rows
		       : t->printed_rows ? t->printed_rows
					 : t->terminal_rows;
	double x = SHEET_MARGIN;

	l->columns = t->extra_from ? t->extra_from : t->columns.n;
	l->columns = l->columns < MAX_COLUMNS ? l->columns : MAX_COLUMNS;
	l->rows = doc_table_rows(t);
	if (limit && limit < l->rows)
		l->rows = limit;
	for (size_t i = 0; i < l->columns; i++)
		l->width[i] = natural_width(s, t, i, l->rows);
	drop_bars(s, t, l);
	drop_spare(s, t, l);
	fit_texts(s, t, l);
	for (size_t i = 0; i < l->columns; i++) {
		l->x[i] = x;
		x += l->width[i] ? l->width[i] + GAP : 0;
	}
}

static void put_titles(struct sheet *s, const struct doc_table *t, const struct layout *l)
{
	double baseline = s->y + 10;

	for (size_t i = 0; i < l->columns; i++) {
		const struct doc_column *column = &t->columns.at[i];

		if (!l->width[i])
			continue;
		if (column->kind == CELL_TEXT)
			canvas_text(&s->canvas, FONT_SMALL, s->canvas.look->grey, l->x[i], baseline,
				    column->title);
		else
			canvas_text_right(&s->canvas, FONT_SMALL, s->canvas.look->grey,
					  l->x[i] + l->width[i], baseline, column->title);
	}
	canvas_box(&s->canvas, s->canvas.look->rule, SHEET_MARGIN, s->y + TITLE_ROW - 2,
		   sheet_room(s), 0.7);
	s->y += TITLE_ROW;
	s->empty = false;
}

static void put_bar(struct sheet *s, double x, double percent)
{
	double share = percent > 100 ? 1 : percent > 0 ? percent / 100 : 0;

	if (share > 0)
		canvas_box(&s->canvas, s->canvas.look->bar, x, s->y + (ROW - BAR_HEIGHT) / 2,
			   share * BAR_WIDTH < 0.5 ? 0.5 : share * BAR_WIDTH, BAR_HEIGHT);
}

static void put_text(struct sheet *s, const struct doc_cell *cell, double x, double y, double width)
{
	const char *text = cell->text ? cell->text : "";

	if (cell->is_code)
		sheet_name(s, FONT_MONO, x, y, width, text);
	else
		canvas_text_in(&s->canvas, FONT_BODY, s->canvas.look->ink, x, y, width, text);
}

static void put_row(struct sheet *s, const struct doc_table *t, const struct layout *l, size_t row)
{
	double baseline = s->y + 9.5;

	for (size_t i = 0; i < l->columns; i++) {
		const struct doc_cell *cell = &t->cells.at[row * t->columns.n + i];
		enum cell_kind kind = t->columns.at[i].kind;

		if (!l->width[i])
			continue;
		if (kind == CELL_BAR)
			put_bar(s, l->x[i], cell->value);
		else if (kind == CELL_TEXT)
			put_text(s, cell, l->x[i], baseline, l->width[i]);
		else
			canvas_text_right(&s->canvas, FONT_BODY, s->canvas.look->ink,
					  l->x[i] + l->width[i], baseline,
					  cell->text ? cell->text : "");
	}
	s->y += ROW;
}

static void put_more(struct sheet *s, const struct doc_table *t, size_t left)
{
	_free_ char *more = doc_more(t, left);

	canvas_text(&s->canvas, FONT_SMALL, s->canvas.look->grey, SHEET_MARGIN, s->y + 10, more);
	s->y += ROW;
}

void sheet_table(struct sheet *s, const char *heading, const struct doc_block *b)
{
	const struct doc_table *t = &b->table;
	struct layout l = {0};
	size_t first;

	lay_out(s, t, &l);
	first = l.rows < NEEDED_ROWS ? l.rows : NEEDED_ROWS;
	sheet_need(s, 30 + TITLE_ROW + (double)first * ROW);
	sheet_heading(s, heading, b->text);
	put_titles(s, t, &l);
	for (size_t row = 0; row < l.rows; row++) {
		if (s->y + ROW > sheet_bottom(s)) {
			sheet_next_page(s);
			put_titles(s, t, &l);
		}
		put_row(s, t, &l, row);
	}
	if (l.rows < doc_table_rows(t))
		put_more(s, t, doc_table_rows(t) - l.rows);
	s->y += 10;
}
