/* The flame graph, on a page of its own where this one has no room for it; a tall one over
 * several, the root's rows first. */
#include "format/sheet.h"

#include "base/str.h"

#define ROW	  9.4
#define ROW_MOST  13.0 /* where there is room for it */
#define ROW_LEAST 6.8
#define MIN_WIDTH 0.1  /* points */
#define HEAD	  46.0 /* heading and legend */
#define MAX_PAGES 6

/* The rows of the following pages, and on the last one what found no room. */
static char *rows_text(const struct plot *p, uint32_t all)
{
	uint32_t left = p->flame.rows - all;
	_free_ char *cut = left ? mem_printf("; %u more are cut off: write html or svg", left)
				: mem_strdup("");

	return mem_printf("rows %u to %u of %u, from the root%s", p->first_row + 1,
			  p->first_row + p->rows, p->flame.rows, cut);
}

static void put_rows(struct sheet *s, struct plot *p, const char *caption)
{
	double top = s->y + 20, bottom = sheet_bottom(s);
	double height = p->rows * p->row_height;

	canvas_legend(&s->canvas, p, SHEET_MARGIN, s->y + 8);
	if (caption)
		canvas_text_right(&s->canvas, FONT_SMALL, s->canvas.look->grey,
				  s->width - SHEET_MARGIN, s->y + 8, caption);
	p->x = SHEET_MARGIN;
	/* A low graph hangs under its legend, not at the foot of the page. */
	p->y = height < bottom - top ? top : bottom - height;
	canvas_plot(&s->canvas, p);
	s->y = p->y + height + 10;
}

void sheet_flame(struct sheet *s, const char *heading, const struct doc_block *b)
{
	struct plot plot;
	uint32_t all, fit;
	double room;
	_free_ char *note = NULL;

	plot_init(&plot, b->tree, sheet_room(s), MIN_WIDTH);
	if (!s->empty && s->y + HEAD + plot.rows * ROW > sheet_bottom(s))
		sheet_next_page(s);
	sheet_heading(s, heading, b->text);
	note = plot_note(&plot, MIN_WIDTH, "pt");
	room = sheet_bottom(s) - s->y - 20;
	all = plot.rows;
	plot.row_height = room / all < ROW_MOST ? room / all : ROW_MOST;
	if (plot.row_height < ROW_LEAST)
		plot.row_height = ROW;
	fit = (uint32_t)(room / plot.row_height + 0.001);
	all = all < MAX_PAGES * fit ? all : MAX_PAGES * fit;
	for (plot.first_row = 0; plot.first_row < all; plot.first_row += fit) {
		_free_ char *rows = NULL;

		plot.rows = all - plot.first_row < fit ? all - plot.first_row : fit;
		if (plot.first_row) {
			sheet_next_page(s);
			rows = rows_text(&plot, all);
			sheet_heading_again(s, heading, rows);
		}
		put_rows(s, &plot, note);
	}
	plot_release(&plot);
}
