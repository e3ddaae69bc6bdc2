/* The flame graph, on a page of its own where this one has no room for it; a tall one over
 * several, the root's rows first. */
#include "format/pdf.h"

#include "base/str.h"

#define ROW	  9.4
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

static void put_rows(struct pdf *pdf, struct plot *p, const char *caption)
{
	double top = pdf->y + 20, bottom = PDF_BOTTOM;
	double height = p->rows * p->row_height;

	canvas_legend(&pdf->canvas, p, PDF_MARGIN, pdf->y + 8);
	if (caption)
		canvas_text_right(&pdf->canvas, FONT_SMALL, CANVAS_GREY, PDF_WIDTH - PDF_MARGIN,
				  pdf->y + 8, caption);
	p->x = PDF_MARGIN;
	/* A low graph hangs under its legend, not at the foot of the page. */
	p->y = height < bottom - top ? top : bottom - height;
	canvas_plot(&pdf->canvas, p);
	pdf->y = p->y + height + 10;
}

void pdf_flame(struct pdf *pdf, const char *heading, const struct doc_block *b)
{
	struct plot plot;
	uint32_t all, fit;
	double room;
	_free_ char *note = NULL;

	plot_init(&plot, b->tree, PDF_ROOM, MIN_WIDTH);
	if (!pdf->empty && pdf->y + HEAD + plot.rows * ROW > PDF_BOTTOM)
		pdf_next_page(pdf);
	pdf_heading(pdf, heading, b->text);
	note = plot_note(&plot, MIN_WIDTH, "pt");
	room = PDF_BOTTOM - pdf->y - 20;
	all = plot.rows;
	plot.row_height = room / all < ROW ? room / all : ROW;
	if (plot.row_height < ROW_LEAST)
		plot.row_height = ROW;
	fit = (uint32_t)(room / plot.row_height + 0.001);
	all = all < MAX_PAGES * fit ? all : MAX_PAGES * fit;
	for (plot.first_row = 0; plot.first_row < all; plot.first_row += fit) {
		_free_ char *rows = NULL;

		plot.rows = all - plot.first_row < fit ? all - plot.first_row : fit;
		if (plot.first_row) {
			pdf_next_page(pdf);
			rows = rows_text(&plot, all);
			pdf_heading(pdf, heading, rows);
		}
		put_rows(pdf, &plot, note);
	}
	plot_release(&plot);
}
