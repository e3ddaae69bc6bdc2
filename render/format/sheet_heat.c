/* Samples over time as a heat map: columns of so much time, from left to right, in each the parts
 * of that time from the bottom up. */
#include "format/sheet.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "paint/flame.h"

#define LEFT	   52.0 /* for the labels of rows */
#define CELL_MOST  24.0 /* a cell is no wider */
#define HIGH	   250.0
#define CELL_HIGH  14.0 /* and no higher */
#define LEGEND	   18.0
#define AXIS	   20.0
#define LABEL_GAP  12.0 /* between two labels of the time axis */
#define ROW_LABELS 4

struct heat_plot {
	const struct doc_heat *heat;
	double x, y, cell, row; /* left, top, width and height of a cell */
	bool dark;
};
/* The colours of a heat map go from few to many, light to dark on white paper and dark to light on
 * black, so that it reads in grey and with any eyes. */

#define STOPS 5
#define SEEN  0.06 /* of the scale: the least that is not 0 */

static const struct rgb stops[][STOPS] = {
	{{244, 241, 236}, {253, 212, 158}, {246, 143, 76}, {204, 52, 40}, {96, 8, 32}},
	{{40, 43, 50}, {96, 44, 58}, {186, 66, 56}, {244, 152, 70}, {255, 240, 176}},
};

static uint8_t between(uint8_t from, uint8_t to, double part)
{
	return (uint8_t)(from + (to - from) * part + 0.5);
}

/* @share of the fullest cell, 0 … 1. What is not empty is seen: above 0 it differs from 0. */
static struct rgb heat_colour(double share, bool dark)
{
	const struct rgb *s = stops[dark];
	double at;
	size_t i;

	if (share <= 0)
		return s[0];
	at = (SEEN + (1 - SEEN) * (share > 1 ? 1 : share)) * (STOPS - 1);
	i = at >= STOPS - 1 ? STOPS - 2 : (size_t)at;
	return (struct rgb){between(s[i].r, s[i + 1].r, at - (double)i),
			    between(s[i].g, s[i + 1].g, at - (double)i),
			    between(s[i].b, s[i + 1].b, at - (double)i)};
}

static double height_of(const struct heat_plot *p)
{
	return p->heat->rows * p->row;
}

static void put_legend(struct sheet *s, const struct heat_plot *p)
{
	const struct rgb grey = s->canvas.look->grey;
	char most[UNITS_BUF];
	_free_ char *text =
		mem_printf("%s in a cell", units_count(most, sizeof(most), (int64_t)p->heat->most));
	double x = p->x + 10;

	canvas_text(&s->canvas, FONT_SMALL, grey, p->x, s->y + 8, "0");
	for (int i = 0; i <= 10; i++, x += 9)
		canvas_box(&s->canvas, heat_colour(i / 10.0, p->dark), x, s->y + 1, 9.2, 8);
	canvas_text(&s->canvas, FONT_SMALL, grey, x + 6, s->y + 8, text);
	s->y += LEGEND;
}

/* Equal neighbours of a column are one box. What came after the end is no part of the plot. */
static void put_column(struct sheet *s, const struct heat_plot *p, uint32_t column)
{
	const struct doc_heat *h = p->heat;
	const uint64_t *counts = &h->counts.at[(size_t)column * h->rows];
	const int64_t start = h->from_ns + column * h->column_ns;
	const double bottom = p->y + height_of(p);

	for (uint32_t row = 0, end; row < h->rows && start + row * h->row_ns < h->end_ns;
	     row = end) {
		for (end = row + 1; end < h->rows && counts[end] == counts[row] &&
				    start + end * h->row_ns < h->end_ns;)
			end++;
		canvas_box(
			&s->canvas,
			heat_colour((double)counts[row] / (double)(h->most ? h->most : 1), p->dark),
			p->x + column * p->cell, bottom - end * p->row, p->cell,
			(end - row) * p->row);
	}
}

static void put_row_labels(struct sheet *s, const struct heat_plot *p)
{
	const struct rgb grey = s->canvas.look->grey;
	const double bottom = p->y + height_of(p);

	for (int i = 0; i <= ROW_LABELS; i++) {
		double y = bottom - height_of(p) * i / ROW_LABELS;

		canvas_text_right(&s->canvas, FONT_SMALL, grey, p->x - 6, y + 3,
				  i ? ns_text((double)p->heat->column_ns * i / ROW_LABELS) : "0");
		canvas_box(&s->canvas, s->canvas.look->rule, p->x - 4, y, 3, 0.6);
	}
}

/* A label at every 1, 2, 5, 10 … columns, as there is room. */
static uint32_t label_step(struct sheet *s, const struct heat_plot *p)
{
	static const uint32_t factors[] = {2, 5, 10};
	uint32_t step = 1, decade = 1;
	double room;

	room = LABEL_GAP + canvas_width(&s->canvas, FONT_SMALL,
					ns_text((double)(p->heat->from_ns +
							 p->heat->columns * p->heat->column_ns)));

	for (size_t i = 0; step * p->cell < room && step < p->heat->columns; i++) {
		step = decade * factors[i % 3];
		decade *= i % 3 == 2 ? 10 : 1;
	}
	return step;
}

/* At @x, or where there is no room for it, up to the margin; nowhere if it would begin before
 * @free. Returns where the next one may begin. */
static double put_time(struct sheet *s, double x, double free, double y, const char *text)
{
	const double width = canvas_width(&s->canvas, FONT_SMALL, text);
	const double most = s->width - SHEET_MARGIN - width;

	x = x < most ? x : most;
	if (x < free)
		return free;
	canvas_text(&s->canvas, FONT_SMALL, s->canvas.look->grey, x, y, text);
	return x + width + LABEL_GAP / 2;
}

static void put_times(struct sheet *s, const struct heat_plot *p)
{
	const struct doc_heat *h = p->heat;
	const double y = p->y + height_of(p);
	const uint32_t step = label_step(s, p);
	double free = p->x;

	for (uint32_t i = 0; i <= h->columns; i += step) {
		int64_t at = h->from_ns + i * h->column_ns;

		canvas_box(&s->canvas, s->canvas.look->rule, p->x + i * p->cell, y + 1, 0.6, 4);
		free = put_time(s, p->x + i * p->cell, free, y + 14,
				at ? ns_text((double)at) : "0 s");
	}
	s->y = y + AXIS;
}

void sheet_heat(struct sheet *s, const char *heading, const struct doc_block *b)
{
	const struct doc_heat *h = &b->heat;
	struct heat_plot p = {.heat = h, .x = SHEET_MARGIN + LEFT};

	p.dark = s->options->dark;
	p.cell = (sheet_room(s) - LEFT) / h->columns;
	p.cell = p.cell < CELL_MOST ? p.cell : CELL_MOST;
	p.row = HIGH / h->rows;
	p.row = p.row < CELL_HIGH ? p.row : CELL_HIGH;
	sheet_need(s, 30 + LEGEND + height_of(&p) + AXIS);
	sheet_heading(s, heading, b->text);
	put_legend(s, &p);
	p.y = s->y;
	for (uint32_t column = 0; s->drawn && column < h->columns; column++)
		put_column(s, &p, column);
	put_row_labels(s, &p);
	put_times(s, &p);
	s->y += 12;
	s->empty = false;
}
