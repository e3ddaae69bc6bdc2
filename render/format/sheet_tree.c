/* The call tree, a function a line, over as many pages as it needs. */
#include "format/sheet.h"

#include "base/str.h"
#include "base/units.h"
#include "paint/calltree.h"

#define ROW	12.0
#define TITLES	16.0
#define TOTAL	44.0 /* right edges of the numbers, from the margin */
#define SELF	92.0
#define NAME	104.0
#define DEEPEST 24
#define NEEDED	60.0

static void put_titles(struct sheet *s, const struct tree *t)
{
	const struct canvas_look *look = s->canvas.look;
	const double y = s->y + 10;

	canvas_text_right(&s->canvas, FONT_SMALL, look->grey, SHEET_MARGIN + TOTAL, y, "Total");
	canvas_text_right(&s->canvas, FONT_SMALL, look->grey, SHEET_MARGIN + SELF, y, "Self");
	canvas_text(&s->canvas, FONT_SMALL, look->grey, SHEET_MARGIN + NAME, y,
		    t->of_zones ? "Zone" : "Function");
	canvas_box(&s->canvas, look->rule, SHEET_MARGIN, s->y + TITLES - 2, sheet_room(s), 0.7);
	s->y += TITLES;
	s->empty = false;
}

static void put_line(struct sheet *s, const struct tree *t, const struct calltree_line *line)
{
	const struct canvas_look *look = s->canvas.look;
	const struct tree_node *n = &t->nodes.at[line->node];
	const double whole = (double)t->nodes.at[0].total, y = s->y + 9;
	const double indent = canvas_width(&s->canvas, FONT_MONO, line->guides);
	_free_ char *name = calltree_name(t, line);
	char text[UNITS_BUF];

	units_percent(text, sizeof(text), (double)n->total, whole);
	canvas_text_right(&s->canvas, FONT_BODY, look->ink, SHEET_MARGIN + TOTAL, y, text);
	units_percent(text, sizeof(text), (double)n->self, whole);
	if (n->self)
		canvas_text_right(&s->canvas, FONT_BODY, look->grey, SHEET_MARGIN + SELF, y, text);
	canvas_text(&s->canvas, FONT_MONO, look->grey, SHEET_MARGIN + NAME, y, line->guides);
	sheet_name(s, FONT_MONO, SHEET_MARGIN + NAME + indent, y, sheet_room(s) - NAME - indent,
		   name);
	s->y += ROW;
}

void sheet_tree(struct sheet *s, const char *heading, const struct doc_block *b)
{
	const double least = format_least(s->options);
	struct calltree lines;
	_free_ char *note = NULL;

	calltree_layout(b->tree, least, DEEPEST, &lines);
	note = calltree_note(&lines, least);
	sheet_need(s, NEEDED + TITLES);
	sheet_heading(s, heading, b->text);
	put_titles(s, b->tree);
	for (size_t i = 0; i < lines.lines.n; i++) {
		if (s->y + ROW > sheet_bottom(s)) {
			sheet_next_page(s);
			put_titles(s, b->tree);
		}
		put_line(s, b->tree, &lines.lines.at[i]);
	}
	canvas_text(&s->canvas, FONT_SMALL, s->canvas.look->grey, SHEET_MARGIN + NAME, s->y + 10,
		    note);
	s->y += 22;
	calltree_release(&lines);
}
