/* A table as bars: a mean, its whisker from the least to the most, and a baseline's mean below. */
#include "format/sheet.h"

#include <math.h>

#include "base/str.h"
#include "base/units.h"

#define ROW	   22.0
#define BAR	   9.0
#define BASE_BAR   4.0
#define CAP	   5.0 /* of a whisker */
#define LEGEND	   18.0
#define AXIS	   18.0
#define NAME_SHARE 0.3 /* of the room */
#define GAP	   10.0
#define LOG_FROM \
	6.0 /* where a whisker is so many times the longest bar, the scale is logarithmic */
#define TICK_GAP  6.0 /* between two labels */
#define TICK_ROOM 52.0

struct chart {
	const struct doc_table *t;
	size_t rows;
	double x, width; /* of the plot */
	bool log;
	double from, to; /* values at the edges */
};

static const struct doc_cell *cell(const struct chart *c, size_t row, size_t column)
{
	return &c->t->cells.at[row * c->t->columns.n + column];
}

static double most_in(const struct chart *c, size_t column)
{
	double most = 0;

	for (size_t row = 0; row < c->rows; row++)
		most = fmax(most, cell(c, row, column)->value);
	return most;
}

static double least_in(const struct chart *c, size_t column)
{
	double least = INFINITY;

	for (size_t row = 0; row < c->rows; row++)
		if (cell(c, row, column)->value > 0)
			least = fmin(least, cell(c, row, column)->value);
	return least;
}

static void choose_scale(struct chart *c)
{
	const struct doc_chart *which = &c->t->chart;
	double bars = most_in(c, which->value), all = fmax(bars, most_in(c, which->high));
	double least = fmin(least_in(c, which->value), least_in(c, which->low));

	if (which->base) {
		all = fmax(all, most_in(c, which->base));
		bars = fmax(bars, most_in(c, which->base));
	}
	c->log = all > LOG_FROM * bars && isfinite(least) && all > least;
	c->from = c->log ? pow(10, floor(log10(least))) : 0;
	c->to = c->log ? pow(10, ceil(log10(all))) : all > 0 ? all : 1;
}

static double place(const struct chart *c, double value)
{
	double part = c->log ? value > c->from ? log(value / c->from) / log(c->to / c->from) : 0
			     : value / c->to;

	return c->x + c->width * fmin(fmax(part, 0), 1);
}

static void put_whisker(struct sheet *s, const struct chart *c, size_t row, double y)
{
	const double from = place(c, cell(c, row, c->t->chart.low)->value);
	const double to = place(c, cell(c, row, c->t->chart.high)->value);
	const struct rgb ink = s->canvas.look->ink;

	if (!(cell(c, row, c->t->chart.high)->value > 0))
		return;
	canvas_box(&s->canvas, ink, from, y - 0.35, fmax(to - from, 0.7), 0.7);
	canvas_box(&s->canvas, ink, from - 0.35, y - CAP / 2, 0.7, CAP);
	canvas_box(&s->canvas, ink, to - 0.35, y - CAP / 2, 0.7, CAP);
}

static void put_row(struct sheet *s, const struct chart *c, size_t row)
{
	const struct doc_chart *which = &c->t->chart;
	const struct canvas_look *look = s->canvas.look;
	const struct doc_cell *name = cell(c, row, which->label);
	const double y = s->y + 3, right = SHEET_MARGIN + sheet_room(s);
	double end = place(c, cell(c, row, which->value)->value), base = 0;

	sheet_name(s, name->is_code ? FONT_MONO : FONT_BODY, SHEET_MARGIN, y + 8,
		   c->x - SHEET_MARGIN - GAP, name->text);
	canvas_box(&s->canvas, look->bar, c->x, y, fmax(end - c->x, 0.7), BAR);
	put_whisker(s, c, row, y + BAR / 2);
	if (which->base)
		base = cell(c, row, which->base)->value;
	if (base > 0)
		canvas_box(&s->canvas, look->base, c->x, y + BAR + 1, place(c, base) - c->x,
			   BASE_BAR);
	canvas_text_right(&s->canvas, FONT_BODY, look->ink, right, y + 8,
			  cell(c, row, which->text)->text);
	s->y += ROW;
}

/* Its label only where that ends no closer to the one before, which ends at *@end. */
static void put_tick(struct sheet *s, const struct chart *c, double value, double *end)
{
	const double x = place(c, value), top = s->y, bottom = top + (double)c->rows * ROW;
	char buf[UNITS_BUF];
	const char *text = value > 0 ? units_value(buf, sizeof(buf), value, c->t->chart.unit) : "0";
	const double half = canvas_width(&s->canvas, FONT_SMALL, text) / 2;

	canvas_box(&s->canvas, s->canvas.look->rule, x, top, 0.5, bottom - top + 3);
	if (x - half < *end + TICK_GAP)
		return;
	*end = x + half;
	canvas_text_right(&s->canvas, FONT_SMALL, s->canvas.look->grey, *end, bottom + 12, text);
}

/* 1, 2 or 5 times a power of ten, so that ticks have room. */
static double tick_step(const struct chart *c)
{
	double least = c->to * TICK_ROOM / c->width, decade = pow(10, floor(log10(least)));

	return decade * (least <= decade       ? 1
			 : least <= 2 * decade ? 2
			 : least <= 5 * decade ? 5
					       : 10);
}

/* Below the rows, which stand over its lines. */
static void put_axis(struct sheet *s, const struct chart *c)
{
	const double step = tick_step(c);
	double end = 0;

	if (c->log)
		for (double v = c->from; v <= c->to * 1.001; v *= 10)
			put_tick(s, c, v, &end);
	else
		for (double v = 0; v <= c->to * 1.0001; v += step)
			put_tick(s, c, v, &end);
}

static double put_key(struct sheet *s, double x, struct rgb colour, double height, const char *text)
{
	canvas_box(&s->canvas, colour, x, s->y + 5 - height / 2, 14, height);
	canvas_text(&s->canvas, FONT_SMALL, s->canvas.look->grey, x + 19, s->y + 8, text);
	return x + 19 + canvas_width(&s->canvas, FONT_SMALL, text) + 18;
}

static void put_legend(struct sheet *s, const struct chart *c)
{
	const struct doc_chart *which = &c->t->chart;
	const struct canvas_look *look = s->canvas.look;
	_free_ char *whisker = mem_printf("%s to %s", c->t->columns.at[which->low].title,
					  c->t->columns.at[which->high].title);
	double x = c->x;

	x = put_key(s, x, look->bar, BAR - 2, c->t->columns.at[which->value].title);
	x = put_key(s, x, look->ink, 0.8, whisker);
	if (which->base)
		x = put_key(s, x, look->base, BASE_BAR, c->t->columns.at[which->base].title);
	if (c->log)
		canvas_text(&s->canvas, FONT_SMALL, look->grey, x, s->y + 8, "logarithmic scale");
	s->y += LEGEND;
}

void sheet_chart(struct sheet *s, const char *heading, const struct doc_block *b)
{
	const struct doc_table *t = &b->table;
	struct chart c = {.t = t, .rows = doc_table_rows(t)};
	double texts = 0;

	for (size_t row = 0; row < c.rows; row++)
		texts = fmax(texts, canvas_width(&s->canvas, FONT_BODY,
						 cell(&c, row, t->chart.text)->text));
	c.x = SHEET_MARGIN + NAME_SHARE * sheet_room(s);
	c.width = SHEET_MARGIN + sheet_room(s) - texts - GAP - c.x;
	choose_scale(&c);
	sheet_need(s, 30 + LEGEND + (double)c.rows * ROW + AXIS);
	sheet_heading(s, heading, b->text);
	put_legend(s, &c);
	put_axis(s, &c);
	for (size_t row = 0; row < c.rows; row++)
		put_row(s, &c, row);
	s->y += AXIS + 10;
	s->empty = false;
}
