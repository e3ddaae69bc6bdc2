/* Stacks on a sheet: as a flame graph, as hot paths, as a call tree. */
#include "format/sheet.h"

#include "base/str.h"
#include "base/units.h"
#include "paint/calltree.h"
#include "paint/words.h"

/* --- the flame graph -------------------------------------------------------------------------- */

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

/* On a page of its own where this one has no room for it; a tall one over several, the root's rows
 * first. */
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

/* --- hot paths: each its share and its names as one paragraph --------------------------------- */

#define ITEMS	    24
#define NAME_MOST   80 /* letters */
#define SHARE_WIDTH 48.0
#define SPACE	    8.0

static char *path_text(const struct tree *t, const struct doc_path *path)
{
	path_items items = {0};
	struct str text = {0};

	path_layout(t, path, ITEMS, &items);
	for (size_t i = 0; i < items.n; i++) {
		_free_ char *name = path_item_text(t, &items.at[i]);
		_free_ char *cut = cut_middle(name, NAME_MOST);

		str_addf(&text, "%s%s", i ? " › " : "", cut);
	}
	vec_release(&items);
	return str_steal(&text);
}

void sheet_paths(struct sheet *s, const char *heading, const struct doc_block *b)
{
	const double x = SHEET_MARGIN + SHARE_WIDTH + 12, width = sheet_room(s) - SHARE_WIDTH - 12;
	const char *above = heading;

	vec_each (path, &b->paths) {
		_free_ char *text = path_text(b->tree, path);
		double height = canvas_paragraph(&s->canvas, FONT_MONO, s->canvas.look->ink, x, 0,
						 width, text, false);

		sheet_need(s, height + SPACE + (above ? 30 : 0));
		if (above)
			sheet_heading(s, above, b->text);
		above = NULL;
		canvas_text_right(&s->canvas, FONT_BOLD, s->canvas.look->ink,
				  SHEET_MARGIN + SHARE_WIDTH, s->y + 9, path->share);
		canvas_paragraph(&s->canvas, FONT_MONO, s->canvas.look->ink, x, s->y + 9, width,
				 text, true);
		s->y += height + SPACE;
		s->empty = false;
	}
	s->y += 8;
}

/* --- the call tree: a function a line, over as many pages as it needs ------------------------- */

#define LINE	  12.0
#define TITLES	  16.0
#define TOTAL_TO  44.0 /* right edges of the numbers, from the margin */
#define SELF_TO	  92.0
#define NAME_FROM 104.0
#define DEEPEST	  24
#define NEEDED	  60.0

static void put_titles(struct sheet *s, const struct tree *t)
{
	const struct canvas_look *look = s->canvas.look;
	const double y = s->y + 10;

	canvas_text_right(&s->canvas, FONT_SMALL, look->grey, SHEET_MARGIN + TOTAL_TO, y, "Total");
	canvas_text_right(&s->canvas, FONT_SMALL, look->grey, SHEET_MARGIN + SELF_TO, y, "Self");
	canvas_text(&s->canvas, FONT_SMALL, look->grey, SHEET_MARGIN + NAME_FROM, y,
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
	canvas_text_right(&s->canvas, FONT_BODY, look->ink, SHEET_MARGIN + TOTAL_TO, y, text);
	units_percent(text, sizeof(text), (double)n->self, whole);
	if (n->self)
		canvas_text_right(&s->canvas, FONT_BODY, look->grey, SHEET_MARGIN + SELF_TO, y,
				  text);
	canvas_text(&s->canvas, FONT_MONO, look->grey, SHEET_MARGIN + NAME_FROM, y, line->guides);
	sheet_name(s, FONT_MONO, SHEET_MARGIN + NAME_FROM + indent, y,
		   sheet_room(s) - NAME_FROM - indent, name);
	s->y += LINE;
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
		if (s->y + LINE > sheet_bottom(s)) {
			sheet_next_page(s);
			put_titles(s, b->tree);
		}
		put_line(s, b->tree, &lines.lines.at[i]);
	}
	canvas_text(&s->canvas, FONT_SMALL, s->canvas.look->grey, SHEET_MARGIN + NAME_FROM,
		    s->y + 10, note);
	s->y += 22;
	calltree_release(&lines);
}
