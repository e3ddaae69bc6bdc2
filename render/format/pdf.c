/* pdf: the report to print and to mail. Text is text: it can be searched and copied. */
#include "format/sheet.h"

#include <cairo-pdf.h>
#include <errno.h>

#include "base/err.h"

/* ISO 216 and ANSI Y14.1, upright, in points. */
static const struct {
	double width, height;
} papers[] = {[PAPER_A4] = {595, 842}, [PAPER_LETTER] = {612, 792}};

static void set_metadata(cairo_surface_t *pdf, const struct doc *doc)
{
	cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_TITLE, doc->title);
	cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_SUBJECT, doc->subtitle);
	cairo_pdf_surface_set_metadata(pdf, CAIRO_PDF_METADATA_CREATOR, "eprof-render");
}

static int finish(cairo_surface_t *pdf)
{
	cairo_status_t status;

	cairo_surface_finish(pdf);
	status = cairo_surface_status(pdf);
	if (status != CAIRO_STATUS_SUCCESS)
		return err(-EIO, "cannot write pdf: %s", cairo_status_to_string(status));
	return 0;
}

static int pdf_write(const struct doc *doc, const struct format_options *o, FILE *out)
{
	const double across = papers[o->paper].width, along = papers[o->paper].height;
	struct sheet s;
	int rc;

	sheet_init(&s, doc, o->portrait ? across : along, o->portrait ? along : across);
	s.pdf = cairo_pdf_surface_create_for_stream(canvas_write, out, s.width, s.height);
	s.options = o;
	set_metadata(s.pdf, doc);
	canvas_init(&s.canvas, s.pdf, 1);
	s.canvas.look = o->dark ? &CANVAS_DARK : &CANVAS_LIGHT;
	sheet_run(&s, false);
	sheet_run(&s, true);
	sheet_outline(&s);
	rc = canvas_status(&s.canvas);
	canvas_release(&s.canvas);
	if (rc == 0)
		rc = finish(s.pdf);
	cairo_surface_destroy(s.pdf);
	sheet_release(&s);
	return rc;
}

const struct format pdf_format = {
	.extension = "pdf",
	.about = "the whole report, to print and to mail",
	.medium = DOC_PAPER,
	.write = pdf_write,
};
