/*
 * pdf: what the parts of the pdf format share: pages that are filled from the top. For
 * format/pdf*.c only. Units are points, A4 landscape.
 */
#ifndef FORMAT_PDF_H
#define FORMAT_PDF_H

#include "doc.h"
#include "paint/canvas.h"

#define PDF_WIDTH  842.0
#define PDF_HEIGHT 595.0
#define PDF_MARGIN 40.0
#define PDF_TOP	   44.0
#define PDF_BOTTOM (PDF_HEIGHT - 40.0)
#define PDF_ROOM   (PDF_WIDTH - 2 * PDF_MARGIN)

struct pdf {
	struct canvas canvas;
	cairo_surface_t *surface;
	const struct doc *doc;
	double y;      /* where the next thing on this page starts */
	unsigned page; /* from 1 */
	bool empty;    /* nothing on this page yet */
};

/* Ends the page with its foot, and starts the next. */
void pdf_next_page(struct pdf *);
/* Starts the next page where less than @height is left. */
void pdf_need(struct pdf *, double height);
/* A heading with its caption beside it, on this page. */
void pdf_heading(struct pdf *, const char *heading, const char *caption);

/* Each with the heading that stands above it; it may be NULL. */
void pdf_table(struct pdf *, const char *heading, const struct doc_block *);
void pdf_flame(struct pdf *, const char *heading, const struct doc_block *);
void pdf_paths(struct pdf *, const char *heading, const struct doc_block *);

#endif
