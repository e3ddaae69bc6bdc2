/* The order of a sheet: cover, contents, blocks, appendix; pages, headings, texts and facts. */
#include "format/sheet.h"

#include <string.h>

#include "base/str.h"
#include "paint/words.h"

#define TITLE_GAP   26.0
#define MAX_TITLE   240 /* letters */
#define MAX_VALUE   800
#define HEADING_GAP 8.0
#define FACT_LABEL  76.0 /* at least, and at most */
#define FACT_WIDEST 130.0
#define FACT_SPACE  4.0
#define PARAGRAPH   6.0

/* --- pages ------------------------------------------------------------------------------------ */

/* Each page is a section of the document's structure: cairo 1.16 writes none, but refers to it,
 * where links are all that is tagged. */
#define PAGE_TAG "Sect"

static bool is_tagged(const struct sheet *s)
{
	return s->drawn && s->pdf;
}

/* The paper first: cairo forgets what it had of a page when all of it is painted over, tags too. */
static void begin_page(struct sheet *s)
{
	if (s->canvas.look != &CANVAS_LIGHT && s->height > 0)
		canvas_box(&s->canvas, s->canvas.look->paper, 0, 0, s->width, s->height);
	if (is_tagged(s))
		cairo_tag_begin(s->canvas.cr, PAGE_TAG, NULL);
}

static void put_foot(struct sheet *s)
{
	const struct canvas_look *look = s->canvas.look;
	double y = s->height - 22;
	_free_ char *page = mem_printf("%u of %u", s->page, s->pages);

	canvas_box(&s->canvas, look->rule, SHEET_MARGIN, y - 12, sheet_room(s), 0.5);
	canvas_text_in(&s->canvas, FONT_SMALL, look->grey, SHEET_MARGIN, y, sheet_room(s) - 60,
		       s->doc->title);
	canvas_text_right(&s->canvas, FONT_SMALL, look->grey, s->width - SHEET_MARGIN, y, page);
}

static void end_page(struct sheet *s)
{
	if (s->height > 0)
		put_foot(s);
	if (is_tagged(s)) {
		cairo_tag_end(s->canvas.cr, PAGE_TAG);
		cairo_show_page(s->canvas.cr);
	}
}

void sheet_next_page(struct sheet *s)
{
	end_page(s);
	s->page++;
	s->y = SHEET_TOP;
	s->empty = true;
	begin_page(s);
}

void sheet_need(struct sheet *s, double height)
{
	if (s->y + height > sheet_bottom(s) && !s->empty)
		sheet_next_page(s);
}

/* --- headings --------------------------------------------------------------------------------- */

static void add_section(struct sheet *s, const char *heading)
{
	const char *part = NULL;

	for (size_t i = 0; i < s->doc->blocks.n; i++)
		if (s->doc->blocks.at[i].text == heading)
			part = s->doc->blocks.at[i].part;
	if (s->drawn)
		sheet_mark(s, s->section++, s->y);
	else
		vec_push(&s->sections,
			 ((struct sheet_section){
				 .text = heading, .part = part, .page = s->page, .y = s->y}));
}

/* Beside the heading, or below it where it is long. Returns the height. */
static double put_caption(struct sheet *s, double x, double y, const char *caption)
{
	const double room = s->width - SHEET_MARGIN - x;
	const struct rgb grey = s->canvas.look->grey;

	if (canvas_width(&s->canvas, FONT_SMALL, caption) <= room) {
		canvas_text(&s->canvas, FONT_SMALL, grey, x, y, caption);
		return 0;
	}
	if (x > SHEET_MARGIN)
		y += 14;
	return (x > SHEET_MARGIN ? 14 : 0) - 11 +
	       canvas_paragraph(&s->canvas, FONT_SMALL, grey, SHEET_MARGIN, y, sheet_room(s),
				caption, true);
}

void sheet_heading_again(struct sheet *s, const char *heading, const char *caption)
{
	const double most = 0.7 * sheet_room(s); /* a zone's name may be long */
	double x = SHEET_MARGIN, y, more = 0;

	if (heading && s->y > SHEET_TOP)
		s->y += HEADING_GAP;
	y = s->y + 12;
	s->empty = false;
	if (heading) {
		double width = canvas_width(&s->canvas, FONT_HEADING, heading);

		width = width < most ? width : most;
		canvas_text_in(&s->canvas, FONT_HEADING, s->canvas.look->ink, x, y, width + 1,
			       heading);
		x += width + 14;
	}
	if (caption && caption[0])
		more = put_caption(s, x, y, caption);
	if (heading || (caption && caption[0]))
		s->y += 22 + (more > 0 ? more : 0);
}

void sheet_heading(struct sheet *s, const char *heading, const char *caption)
{
	if (heading)
		add_section(s, heading);
	sheet_heading_again(s, heading, caption);
}

/* --- cover, facts, texts ---------------------------------------------------------------------- */

static void put_cover(struct sheet *s)
{
	const struct canvas_look *look = s->canvas.look;
	_free_ char *title = cut_middle(s->doc->title, MAX_TITLE);
	double height;

	canvas_box(&s->canvas, look->bar, SHEET_MARGIN, SHEET_TOP - 4, 36, 3);
	s->y = SHEET_TOP + 26;
	height = canvas_paragraph(&s->canvas, FONT_TITLE, look->ink, SHEET_MARGIN, s->y,
				  sheet_room(s), title, true);
	s->y += height - 4;
	height = canvas_paragraph(&s->canvas, FONT_BODY, look->grey, SHEET_MARGIN, s->y,
				  sheet_room(s), s->doc->subtitle, true);
	s->y += height + TITLE_GAP - 10;
	s->empty = false;
}

static double label_width(struct sheet *s, const struct doc_block *b)
{
	double width = FACT_LABEL;

	for (size_t i = 0; i < b->facts.n; i++) {
		double w = 12 + canvas_width(&s->canvas, FONT_BODY, b->facts.at[i].label);

		width = w > width ? w : width;
	}
	return width < FACT_WIDEST ? width : FACT_WIDEST;
}

static void put_facts(struct sheet *s, const struct doc_block *b)
{
	const struct canvas_look *look = s->canvas.look;
	const double label = label_width(s, b), width = sheet_room(s) - label;

	vec_each (f, &b->facts) {
		_free_ char *value = cut_middle(f->value, MAX_VALUE);
		struct rgb ink = f->warn ? look->warn : look->ink;
		double height =
			canvas_paragraph(&s->canvas, FONT_BODY, ink, 0, 0, width, value, false);

		sheet_need(s, height);
		canvas_text_in(&s->canvas, FONT_BODY, f->warn ? look->warn : look->grey,
			       SHEET_MARGIN, s->y + 9, label - 8, f->label);
		canvas_paragraph(&s->canvas, FONT_BODY, ink, SHEET_MARGIN + label, s->y + 9, width,
				 value, true);
		s->y += height + FACT_SPACE;
		s->empty = false;
	}
	s->y += 12;
}

static void put_text(struct sheet *s, const struct doc_block *b)
{
	const struct rgb ink = s->canvas.look->ink;
	double height =
		canvas_paragraph(&s->canvas, FONT_BODY, ink, 0, 0, sheet_room(s), b->text, false);

	sheet_need(s, height);
	canvas_paragraph(&s->canvas, FONT_BODY, ink, SHEET_MARGIN, s->y + 9, sheet_room(s), b->text,
			 true);
	s->y += height + PARAGRAPH;
	s->empty = false;
}

static void put_words(struct sheet *s, const char *heading, const struct doc_block *b)
{
	if (heading) {
		sheet_need(s, 60);
		sheet_heading(s, heading, NULL);
	}
	(b->kind == BLOCK_TEXT ? put_text : put_facts)(s, b);
}

/* --- all of it -------------------------------------------------------------------------------- */

static void put_block(struct sheet *s, const char *heading, const struct doc_block *b)
{
	static void (*const put[])(struct sheet *, const char *, const struct doc_block *) = {
		[BLOCK_TEXT] = put_words,    [BLOCK_FACTS] = put_words,
		[BLOCK_TABLE] = sheet_table, [BLOCK_FLAME] = sheet_flame,
		[BLOCK_PATHS] = sheet_paths, [BLOCK_TREE] = sheet_tree,
		[BLOCK_HEAT] = sheet_heat,   [BLOCK_CHART] = sheet_calls,
	};

	if (b->kind == BLOCK_TABLE && b->table.chart.on)
		sheet_chart(s, heading, b);
	else if (b->kind < sizeof(put) / sizeof(*put) && put[b->kind])
		put[b->kind](s, heading, b);
}

static size_t headings(const struct doc *doc)
{
	size_t n = 0;

	for (size_t i = 0; i < doc->blocks.n; i++)
		n += doc->blocks.at[i].kind == BLOCK_HEADING;
	return n;
}

/* The contents stand behind what has no heading: the summary. A picture has none. */
static void put_doc(struct sheet *s)
{
	bool wanted = s->height > 0 && headings(s->doc) > 1;
	const char *heading = NULL;

	begin_page(s);
	put_cover(s);
	vec_each (b, &s->doc->blocks) {
		if (b->kind == BLOCK_HEADING) {
			if (wanted)
				sheet_contents(s);
			wanted = false;
			if (heading)
				sheet_heading(s, heading, NULL);
			heading = b->text;
			continue;
		}
		put_block(s, heading, b);
		heading = NULL;
	}
	if (heading)
		sheet_heading(s, heading, NULL);
	sheet_names(s);
	end_page(s);
}

void sheet_init(struct sheet *s, const struct doc *doc, double width, double height)
{
	*s = (struct sheet){.doc = doc, .width = width, .height = height};
}

void sheet_release(struct sheet *s)
{
	vec_release(&s->sections);
	intern_release(&s->names);
}

void sheet_run(struct sheet *s, bool draw)
{
	const struct canvas_out *out = s->canvas.out;

	s->drawn = draw;
	s->page = 1;
	s->empty = true;
	intern_release(&s->names);
	s->names = (struct intern){0};
	if (!draw)
		s->canvas.out = &CANVAS_NOTHING;
	put_doc(s);
	s->canvas.out = out;
	s->pages = s->page;
}
