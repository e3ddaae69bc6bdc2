/*
 * sheet: a document on paper: what the pdf format, and svg and png of anything but a single flame
 * graph, share. Pages are filled from the top; a picture is one page as high as it needs to be. All
 * is laid out twice, first without drawing, so that the contents know the pages. For format/ only.
 * Units are points.
 */
#ifndef FORMAT_SHEET_H
#define FORMAT_SHEET_H

#include "base/intern.h"
#include "doc.h"
#include "format/format.h"
#include "paint/canvas.h"

#define SHEET_MARGIN 40.0
#define SHEET_TOP    44.0

/* A heading, and where it stands. */
struct sheet_section {
	const char *text, *part; /* borrowed from the document; part NULL: of the whole */
	unsigned page;
	double y;
};

struct sheet {
	struct canvas canvas;
	cairo_surface_t *pdf; /* borrowed: gets outline and links; NULL: no pdf */
	const struct doc *doc;
	double width, height;		      /* of a page; height 0: as high as it needs to be */
	double y;			      /* where the next thing on this page starts */
	unsigned page, pages;		      /* from 1; pages is known in the second pass */
	const struct format_options *options; /* borrowed; set by who runs it */
	bool empty;			      /* nothing on this page yet */
	bool drawn;			      /* the second pass */
	VEC(struct sheet_section) sections;
	size_t section;	     /* in the second pass: the next one */
	struct intern names; /* that were cut, whole */
};

/* Lays out @doc for pages of the given size (@height 0: one page, as high as it needs to be) on
 * @canvas; in a dry run s->y, s->page and s->sections say what came of it. */
void sheet_init(struct sheet *, const struct doc *, double width, double height);
void sheet_release(struct sheet *);
void sheet_run(struct sheet *, bool draw);

/* Ends the page with its foot, and starts the next. */
void sheet_next_page(struct sheet *);
/* Starts the next page where less than @height is left. */
void sheet_need(struct sheet *, double height);
/* A heading with its caption beside it, on this page; it is a section. */
void sheet_heading(struct sheet *, const char *heading, const char *caption);
/* The same where a section goes on: no other one. */
void sheet_heading_again(struct sheet *, const char *heading, const char *caption);

/* Each with the heading that stands above it; it may be NULL. */
void sheet_table(struct sheet *, const char *heading, const struct doc_block *);
void sheet_chart(struct sheet *, const char *heading, const struct doc_block *);
void sheet_flame(struct sheet *, const char *heading, const struct doc_block *);
void sheet_heat(struct sheet *, const char *heading, const struct doc_block *);
void sheet_calls(struct sheet *, const char *heading, const struct doc_block *);
void sheet_paths(struct sheet *, const char *heading, const struct doc_block *);
void sheet_tree(struct sheet *, const char *heading, const struct doc_block *);

/* The contents with their links, from this place on, or on a page of their own. */
void sheet_contents(struct sheet *);
/* In a pdf: here is what the contents' entry @i leads to. */
void sheet_mark(struct sheet *, size_t i, double y);
/* The document's outline; @i is a section. */
void sheet_outline(struct sheet *);

/* Text of a name within @width; where it is cut, it goes to the appendix whole. */
void sheet_name(struct sheet *, enum canvas_font, double x, double y, double width,
		const char *name);
/* The appendix, where there is something for it. */
void sheet_names(struct sheet *);

static inline double sheet_room(const struct sheet *s)
{
	return s->width - 2 * SHEET_MARGIN;
}

static inline double sheet_bottom(const struct sheet *s)
{
	return s->height > 0 ? s->height - 40 : 1e9;
}

#endif
