/* pdf: the report to print and to mail, A4 landscape. Text is text: it can be searched. */
#include "format/format.h"
#include "format/pdf.h"

#include <cairo-pdf.h>
#include <errno.h>

#include "base/err.h"
#include "paint/cut.h"

#define TITLE_GAP   26.0
#define MAX_TITLE   240 /* letters */
#define MAX_VALUE   800
#define HEADING_GAP 8.0
#define MAX_HEADING (0.7 * PDF_ROOM) /* a zone's name may be long */
#define FACT_LABEL  76.0
#define FACT_SPACE  4.0
#define PARAGRAPH   6.0

static void put_foot(struct pdf *pdf)
{
	double y = PDF_HEIGHT - 22;
	_free_ char *page = mem_printf("%u", pdf->page);

	canvas_box(&pdf->canvas, CANVAS_RULE, PDF_MARGIN, y - 12, PDF_ROOM, 0.5);
	canvas_text_in(&pdf->canvas, FONT_SMALL, CANVAS_GREY, PDF_MARGIN, y, PDF_ROOM - 60,
		       pdf->doc->title);
	canvas_text_right(&pdf->canvas, FONT_SMALL, CANVAS_GREY, PDF_WIDTH - PDF_MARGIN, y, page);
}

static void end_page(struct pdf *pdf)
{
	put_foot(pdf);
	cairo_show_page(pdf->canvas.cr);
}

void pdf_next_page(struct pdf *pdf)
{
	end_page(pdf);
	pdf->page++;
	pdf->y = PDF_TOP;
	pdf->empty = true;
}

void pdf_need(struct pdf *pdf, double height)
{
	if (pdf->y + height > PDF_BOTTOM && !pdf->empty)
		pdf_next_page(pdf);
}

void pdf_heading(struct pdf *pdf, const char *heading, const char *caption)
{
	double x = PDF_MARGIN, y;

	if (heading && pdf->y > PDF_TOP)
		pdf->y += HEADING_GAP;
	y = pdf->y + 12;
	pdf->empty = false;
	if (heading) {
		double width = canvas_width(&pdf->canvas, FONT_HEADING, heading);

		width = width < MAX_HEADING ? width : MAX_HEADING;
		canvas_text_in(&pdf->canvas, FONT_HEADING, CANVAS_INK, x, y, width + 1, heading);
		x += width + 14;
		cairo_pdf_surface_add_outline(pdf->surface, CAIRO_PDF_OUTLINE_ROOT, heading, "", 0);
	}
	if (caption && caption[0])
		canvas_text_in(&pdf->canvas, FONT_SMALL, CANVAS_GREY, x, y,
			       PDF_WIDTH - PDF_MARGIN - x, caption);
	if (heading || (caption && caption[0]))
		pdf->y += 22;
}

static void put_cover(struct pdf *pdf)
{
	_free_ char *title = cut_middle(pdf->doc->title, MAX_TITLE);
	double height;

	canvas_box(&pdf->canvas, CANVAS_BAR, PDF_MARGIN, PDF_TOP - 4, 36, 3);
	pdf->y = PDF_TOP + 26;
	height = canvas_paragraph(&pdf->canvas, FONT_TITLE, CANVAS_INK, PDF_MARGIN, pdf->y,
				  PDF_ROOM, title, true);
	pdf->y += height - 4;
	height = canvas_paragraph(&pdf->canvas, FONT_BODY, CANVAS_GREY, PDF_MARGIN, pdf->y,
				  PDF_ROOM, pdf->doc->subtitle, true);
	pdf->y += height + TITLE_GAP - 10;
	pdf->empty = false;
}

static void put_facts(struct pdf *pdf, const struct doc_block *b)
{
	double width = PDF_ROOM - FACT_LABEL;

	for (size_t i = 0; i < b->facts.n; i++) {
		const struct doc_fact *f = &b->facts.at[i];
		_free_ char *value = cut_middle(f->value, MAX_VALUE);
		struct rgb ink = f->warn ? CANVAS_WARN : CANVAS_INK;
		double height =
			canvas_paragraph(&pdf->canvas, FONT_BODY, ink, 0, 0, width, value, false);

		pdf_need(pdf, height);
		canvas_text(&pdf->canvas, FONT_BODY, f->warn ? CANVAS_WARN : CANVAS_GREY,
			    PDF_MARGIN, pdf->y + 9, f->label);
		canvas_paragraph(&pdf->canvas, FONT_BODY, ink, PDF_MARGIN + FACT_LABEL, pdf->y + 9,
				 width, value, true);
		pdf->y += height + FACT_SPACE;
		pdf->empty = false;
	}
	pdf->y += 12;
}

static void put_text(struct pdf *pdf, const struct doc_block *b)
{
	double height = canvas_paragraph(&pdf->canvas, FONT_BODY, CANVAS_INK, 0, 0, PDF_ROOM,
					 b->text, false);

	pdf_need(pdf, height);
	canvas_paragraph(&pdf->canvas, FONT_BODY, CANVAS_INK, PDF_MARGIN, pdf->y + 9, PDF_ROOM,
			 b->text, true);
	pdf->y += height + PARAGRAPH;
	pdf->empty = false;
}

static void put_block(struct pdf *pdf, const char *heading, const struct doc_block *b)
{
	switch (b->kind) {
	case BLOCK_TABLE:
		pdf_table(pdf, heading, b);
		return;
	case BLOCK_FLAME:
		pdf_flame(pdf, heading, b);
		return;
	case BLOCK_PATHS:
		pdf_paths(pdf, heading, b);
		return;
	case BLOCK_TEXT:
	case BLOCK_FACTS:
		if (heading) {
			pdf_need(pdf, 60);
			pdf_heading(pdf, heading, NULL);
		}
		(b->kind == BLOCK_TEXT ? put_text : put_facts)(pdf, b);
		return;
	case BLOCK_HEADING:
		return;
	}
}

static void put_doc(struct pdf *pdf)
{
	const char *heading = NULL;

	put_cover(pdf);
	for (size_t i = 0; i < pdf->doc->blocks.n; i++) {
		const struct doc_block *b = &pdf->doc->blocks.at[i];

		if (b->kind != BLOCK_HEADING)
			put_block(pdf, heading, b);
		heading = b->kind == BLOCK_HEADING ? b->text : NULL;
	}
	end_page(pdf);
}

static int pdf_write(const struct doc *doc, const struct format_options *options, FILE *out)
{
	struct pdf pdf = {.doc = doc, .page = 1};
	cairo_status_t status;
	int rc;

	(void)options;
	pdf.surface = cairo_pdf_surface_create_for_stream(canvas_write, out, PDF_WIDTH, PDF_HEIGHT);
	cairo_pdf_surface_set_metadata(pdf.surface, CAIRO_PDF_METADATA_TITLE, doc->title);
	cairo_pdf_surface_set_metadata(pdf.surface, CAIRO_PDF_METADATA_SUBJECT, doc->subtitle);
	cairo_pdf_surface_set_metadata(pdf.surface, CAIRO_PDF_METADATA_CREATOR, "eprof-render");
	canvas_init(&pdf.canvas, pdf.surface, 1);
	put_doc(&pdf);
	rc = canvas_status(&pdf.canvas);
	canvas_release(&pdf.canvas);
	cairo_surface_finish(pdf.surface);
	status = cairo_surface_status(pdf.surface);
	cairo_surface_destroy(pdf.surface);
	if (rc == 0 && status != CAIRO_STATUS_SUCCESS)
		rc = err(-EIO, "cannot write pdf: %s", cairo_status_to_string(status));
	return rc;
}

const struct format pdf_format = {
	.extension = "pdf",
	.about = "the whole report, to print and to mail",
	.place = DOC_PAPER,
	.write = pdf_write,
};
