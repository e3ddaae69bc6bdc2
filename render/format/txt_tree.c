#include "format/txt.h"

#include "base/str.h"
#include "base/units.h"
#include "paint/calltree.h"

#define NUMBERS	 20 /* columns before the names */
#define DEEPEST	 16 /* levels that show, at most a third of a terminal's width */
#define LEVEL	 3  /* columns of one */
#define MIN_NAME 12

static void put_line(struct term *term, const struct tree *t, const struct calltree_line *line)
{
	const struct tree_node *n = &t->nodes.at[line->node];
	const double whole = (double)t->nodes.at[0].total;
	const size_t before = TXT_MARGIN + NUMBERS + str_width(line->guides);
	_free_ char *name = calltree_name(t, line);
	_free_ char *cut = NULL;
	size_t room = (size_t)-1;
	char text[UNITS_BUF];

	if (term->width)
		room = term->width > before + MIN_NAME ? term->width - before : MIN_NAME;
	cut = term_cut(term, name, room);
	term_spaces(term, TXT_MARGIN);
	units_percent(text, sizeof(text), (double)n->total, whole);
	term_right(term, TERM_PLAIN, 8, text);
	units_percent(text, sizeof(text), (double)n->self, whole);
	term_right(term, TERM_DIM, 10, n->self ? text : "");
	term_spaces(term, 2);
	term_put(term, TERM_DIM, line->guides);
	term_put(term, term_frame_style(frame_class_of_node(t, n)), cut);
	fputc('\n', term->out);
}

void txt_tree(struct term *term, const struct tree *t, double least)
{
	const size_t third = (term->width ? term->width : 1000) / 3 / LEVEL;
	struct calltree lines;
	_free_ char *note = NULL;

	calltree_layout(t, least, (uint32_t)(third < DEEPEST ? third : DEEPEST), &lines);
	note = calltree_note(&lines, least);
	term_spaces(term, TXT_MARGIN);
	term_put(term, TERM_DIM,
		 t->of_zones ? "   Total      Self  Zone" : "   Total      Self  Function");
	fputc('\n', term->out);
	for (size_t i = 0; i < lines.lines.n; i++)
		put_line(term, t, &lines.lines.at[i]);
	term_spaces(term, TXT_MARGIN);
	term_wrap_begin(term, TXT_MARGIN);
	term_wrap_text(term, TERM_DIM, note);
	calltree_release(&lines);
}
