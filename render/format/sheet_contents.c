/* The contents of a sheet, with the page of each section and links to it; a pdf's outline; and the
 * appendix, which has the names in full that were cut. */
#include "format/sheet.h"

#include <cairo-pdf.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "paint/words.h"

#define LINE	   15.0
#define LEAST_LINE 11.5 /* where a page then holds them all */
#define GAP	   28.0 /* between columns */
#define HEAD	   26.0
#define COLUMN	   220.0 /* a column has at least this width */
#define PER_COLUMN 8	 /* lines from which on there are two columns */

/* What the appendix may add is kept room for. */
static size_t entries(const struct sheet *s)
{
	size_t n = 1;

	for (size_t i = 0; i < s->doc->blocks.n; i++)
		n += s->doc->blocks.at[i].kind == BLOCK_HEADING;
	return n;
}

static bool has_tags(const struct sheet *s)
{
	return s->pdf && s->drawn;
}

void sheet_mark(struct sheet *s, size_t i, double y)
{
	_free_ char *dest = mem_printf("name='s%zu' x=%g y=%g internal", i, SHEET_MARGIN, y);

	if (!has_tags(s))
		return;
	cairo_tag_begin(s->canvas.cr, CAIRO_TAG_DEST, dest);
	cairo_tag_end(s->canvas.cr, CAIRO_TAG_DEST);
}

static void put_dots(struct sheet *s, double from, double to, double y)
{
	for (double x = to - 3; x > from + 3; x -= 4)
		canvas_box(&s->canvas, s->canvas.look->rule, x, y - 1, 0.9, 0.9);
}

static void put_entry(struct sheet *s, size_t i, double x, double y, double width)
{
	const struct sheet_section *section = &s->sections.at[i];
	const struct canvas_look *look = s->canvas.look;
	_free_ char *page = mem_printf("%u", section->page);
	_free_ char *link = mem_printf("dest='s%zu' rect=[%g %g %g %g]", i, x, y - 10, width, LINE);
	double number = canvas_width(&s->canvas, FONT_BODY, page);
	double text = canvas_width(&s->canvas, FONT_BODY, section->text);

	text = text < width - 40 ? text : width - 40;
	if (has_tags(s))
		cairo_tag_begin(s->canvas.cr, CAIRO_TAG_LINK, link);
	canvas_text_in(&s->canvas, FONT_BODY, look->ink, x, y, text + 1, section->text);
	put_dots(s, x + text, x + width - number, y);
	canvas_text_right(&s->canvas, FONT_BODY, look->grey, x + width, y, page);
	if (has_tags(s))
		cairo_tag_end(s->canvas.cr, CAIRO_TAG_LINK);
}

/* As many columns as have room, if there are enough lines for them. */
static size_t columns_of(const struct sheet *s, size_t n)
{
	size_t fit = (size_t)((sheet_room(s) + GAP) / (COLUMN + GAP));
	size_t wanted = (n + PER_COLUMN - 1) / PER_COLUMN;

	return wanted < fit ? wanted : fit;
}

void sheet_contents(struct sheet *s)
{
	const size_t n = entries(s), columns = columns_of(s, n), each = (n + columns - 1) / columns;
	const double width = (sheet_room(s) - GAP * (double)(columns - 1)) / (double)columns;
	double room, line = LINE;
	size_t fit;

	sheet_need(s, HEAD + (double)(each < 20 ? each : 20) * LINE);
	sheet_heading_again(s, "Contents", NULL);
	room = sheet_bottom(s) - s->y;
	if ((double)each * LINE > room && (double)each * LEAST_LINE <= room)
		line = room / (double)each;
	for (size_t first = 0; first < n; first += columns * fit) {
		room = sheet_bottom(s) - s->y;
		fit = (size_t)(room / line + 1e-6);
		fit = fit < each ? fit : each;
		for (size_t i = first; i < n && i < first + columns * fit; i++)
			if (s->drawn && i < s->sections.n)
				put_entry(s, i,
					  SHEET_MARGIN +
						  (double)((i - first) / fit) * (width + GAP),
					  s->y + 10 + (double)((i - first) % fit) * line, width);
		s->y += (double)fit * line;
		if (first + columns * fit < n)
			sheet_next_page(s);
	}
	sheet_next_page(s);
}

/* The part's entry, where it has several sections; else the root. */
static int parent_of(struct sheet *s, size_t i, int last)
{
	const struct sheet_section *at = &s->sections.at[i];
	const bool goes_on = i && at->part && s->sections.at[i - 1].part == at->part;
	_free_ char *place = NULL;

	if (!at->part)
		return CAIRO_PDF_OUTLINE_ROOT;
	if (goes_on)
		return last;
	if (i + 1 == s->sections.n || s->sections.at[i + 1].part != at->part)
		return CAIRO_PDF_OUTLINE_ROOT;
	place = mem_printf("page=%u pos=[%g %g]", at->page, SHEET_MARGIN, at->y);
	return cairo_pdf_surface_add_outline(s->pdf, CAIRO_PDF_OUTLINE_ROOT, at->part, place, 0);
}

void sheet_outline(struct sheet *s)
{
	int parent = CAIRO_PDF_OUTLINE_ROOT;

	for (size_t i = 0; i < s->sections.n; i++) {
		const struct sheet_section *at = &s->sections.at[i];
		_free_ char *place =
			mem_printf("page=%u pos=[%g %g]", at->page, SHEET_MARGIN, at->y);

		parent = parent_of(s, i, parent);
		cairo_pdf_surface_add_outline(s->pdf, parent, at->text, place, 0);
	}
}

/* --- the appendix ----------------------------------------------------------------------------- */

#define NAMES_MOST 300	/* in the appendix */
#define NAME_MOST  2000 /* letters of one */
#define SPACE	   4.0

static const char heading[] = "Names in full";

void sheet_name(struct sheet *s, enum canvas_font font, double x, double y, double width,
		const char *name)
{
	if (canvas_text_in(&s->canvas, font, s->canvas.look->ink, x, y, width, name))
		intern_add(&s->names, name);
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void put_name(struct sheet *s, const char *name)
{
	_free_ char *cut = cut_middle(name, NAME_MOST);
	const double width = sheet_room(s);
	const struct rgb ink = s->canvas.look->ink;
	double height = canvas_paragraph(&s->canvas, FONT_MONO, ink, 0, 0, width, cut, false);

	sheet_need(s, height + SPACE);
	canvas_paragraph(&s->canvas, FONT_MONO, ink, SHEET_MARGIN, s->y + 9, width, cut, true);
	s->y += height + SPACE;
	s->empty = false;
}

void sheet_names(struct sheet *s)
{
	const size_t n = intern_count(&s->names) - 1, shown = n < NAMES_MOST ? n : NAMES_MOST;
	_free_ const char **names = mem_zalloc(n + 1, sizeof(*names));
	char count[UNITS_BUF];
	_free_ char *more = mem_printf("; %s more are in csv and html",
				       units_count(count, sizeof(count), (int64_t)(n - shown)));
	_free_ char *caption =
		mem_printf("of those that had no room above, by letter%s", n > shown ? more : "");

	if (!n)
		return;
	for (size_t i = 0; i < n; i++)
		names[i] = intern_text(&s->names, (uint32_t)i + 1);
	qsort(names, n, sizeof(*names), by_text);
	sheet_need(s, 60);
	sheet_heading(s, heading, caption);
	for (size_t i = 0; i < shown; i++)
		put_name(s, names[i]);
}
