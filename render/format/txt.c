/* txt: the report for a terminal, a pipe or a text file. */
#include "base/str.h"
#include "base/units.h"
#include "format/format.h"
#include "format/txt.h"
#include "paint/calltree.h"

#define PATH_ITEMS  14
#define SHARE_WIDTH 8
#define LABEL_LEAST 8
#define NUMBERS	    20 /* columns before the names */
#define DEEPEST	    16 /* levels that show, at most a third of a terminal's width */
#define LEVEL	    3  /* columns of one */
#define MIN_NAME    12

/* --- the call tree ---------------------------------------------------------------------------- */

static void put_tree_line(struct term *term, const struct tree *t, const struct calltree_line *line)
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

/* One function a line, without branches of less than @least percent. */
static void put_tree(struct term *term, const struct tree *t, double least)
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
		put_tree_line(term, t, &lines.lines.at[i]);
	term_spaces(term, TXT_MARGIN);
	term_wrap_begin(term, TXT_MARGIN);
	term_wrap_text(term, TERM_DIM, note);
	calltree_release(&lines);
}

/* --- the heat map: as many columns as there is room for, four shades -------------------------- */

#define LABEL 9 /* columns before the map */
#define LINES 10
#define PIPE  100

/* Several cells of the map as one character. */
struct grid {
	const struct doc_heat *heat;
	uint32_t across, down; /* cells to a character */
	uint32_t columns, lines;
	uint64_t most;
};

static uint64_t sum_of(const struct grid *g, uint32_t column, uint32_t line)
{
	const struct doc_heat *h = g->heat;
	uint64_t sum = 0;

	for (uint32_t x = column * g->across; x < (column + 1) * g->across && x < h->columns; x++)
		for (uint32_t y = line * g->down; y < (line + 1) * g->down && y < h->rows; y++)
			sum += h->counts.at[(size_t)x * h->rows + y];
	return sum;
}

static void lay_out(const struct term *term, struct grid *g)
{
	size_t width = term->width ? term->width : PIPE;
	uint32_t room =
		width > TXT_MARGIN + LABEL + 10 ? (uint32_t)(width - TXT_MARGIN - LABEL) : 10;

	g->across = (g->heat->columns + room - 1) / room;
	g->columns = (g->heat->columns + g->across - 1) / g->across;
	g->down = (g->heat->rows + LINES - 1) / LINES;
	g->lines = (g->heat->rows + g->down - 1) / g->down;
	for (uint32_t x = 0; x < g->columns; x++)
		for (uint32_t y = 0; y < g->lines; y++)
			g->most = sum_of(g, x, y) > g->most ? sum_of(g, x, y) : g->most;
}

const char *txt_shade(const struct term *term, size_t step)
{
	static const char *const blocks[] = {"·", "░", "▒", "▓", "█"};
	static const char *const plain[] = {".", "-", "+", "*", "#"};

	return (term->ascii ? plain : blocks)[step < 5 ? step : 4];
}

static const char *shade(const struct term *term, const struct grid *g, uint64_t sum)
{
	return txt_shade(term, !sum ? 0 : 1 + (size_t)(4 * (sum - 1) / (g->most ? g->most : 1)));
}

static void put_heat_line(struct term *term, const struct grid *g, uint32_t line)
{
	struct str s = {0};

	term_spaces(term, TXT_MARGIN);
	term_right(term, TERM_DIM, LABEL - 1,
		   line ? ns_text((double)(line * g->down * g->heat->row_ns)) : "0");
	term_spaces(term, 1);
	for (uint32_t x = 0; x < g->columns; x++)
		str_add(&s, shade(term, g, sum_of(g, x, line)));
	term_put(term, TERM_BAR, str_text(&s));
	fputc('\n', term->out);
	str_release(&s);
}

static void put_heat(struct term *term, const struct doc_heat *h)
{
	struct grid g = {.heat = h};
	char from[UNITS_BUF], to[UNITS_BUF], each[UNITS_BUF], most[UNITS_BUF];
	_free_ char *note = NULL;

	lay_out(term, &g);
	for (uint32_t line = g.lines; line-- > 0;)
		put_heat_line(term, &g, line);
	note = mem_printf("from %s to %s, left to right; a character: %s and up to %s samples",
			  units_ns(from, sizeof(from), (double)h->from_ns),
			  units_ns(to, sizeof(to), (double)h->end_ns),
			  units_ns(each, sizeof(each), (double)(g.across * h->column_ns)),
			  units_count(most, sizeof(most), (int64_t)g.most));
	term_spaces(term, TXT_MARGIN);
	term_wrap_begin(term, TXT_MARGIN);
	term_wrap_text(term, TERM_DIM, note);
}

/* --- the rest --------------------------------------------------------------------------------- */

static void put_title(struct term *term, const struct doc *doc)
{
	_free_ char *title = term_cut(term, doc->title, term->width ? term->width : (size_t)-1);

	term_put(term, TERM_TITLE, title);
	fputc('\n', term->out);
	term_wrap_begin(term, 0);
	term_wrap_text(term, TERM_DIM, doc->subtitle);
}

static void put_heading(struct term *term, const char *heading, const char *caption)
{
	_free_ char *cut =
		heading ? term_cut(term, heading, term->width ? term->width : (size_t)-1) : NULL;

	fputc('\n', term->out);
	term_wrap_begin(term, 0);
	if (heading) {
		term_put(term, TERM_TITLE, cut);
		term->column = str_width(cut);
	}
	if (caption && caption[0]) {
		if (heading) {
			fputs("  ", term->out);
			term->indent = term->column += 2;
		}
		term_wrap_text(term, TERM_DIM, caption);
	} else {
		fputc('\n', term->out);
	}
}

static void put_facts(struct term *term, const struct doc_block *b)
{
	size_t width = LABEL_LEAST;

	for (size_t i = 0; i < b->facts.n; i++) {
		size_t w = str_width(b->facts.at[i].label);

		width = w > width ? w : width;
	}
	vec_each (f, &b->facts) {
		term_put(term, f->warn ? TERM_WARN : TERM_PLAIN, f->warn ? "! " : "  ");
		term_left(term, f->warn ? TERM_WARN : TERM_DIM, width + 2, f->label);
		term_wrap_begin(term, TXT_MARGIN + width + 2);
		term_wrap_text(term, f->warn ? TERM_WARN : TERM_PLAIN, f->value);
	}
}

static enum term_style item_style(const struct tree *t, const struct path_item *item, bool leaf)
{
	const struct tree_node *n = &t->nodes.at[item->node];

	enum frame_class class = frame_class_of_node(t, n);

	return class == FRAME_NATIVE && leaf ? TERM_STRONG : term_frame_style(class);
}

static void put_path(struct term *term, const struct tree *t, const struct doc_path *path)
{
	path_items items = {0};

	path_layout(t, path, PATH_ITEMS, &items);
	term_spaces(term, TXT_MARGIN);
	term_right(term, TERM_STRONG, SHARE_WIDTH - TXT_MARGIN, path->share);
	term_spaces(term, 2);
	term_wrap_begin(term, SHARE_WIDTH + 2);
	for (size_t i = 0; i < items.n; i++) {
		_free_ char *text = path_item_text(t, &items.at[i]);

		bool leaf = i + 1 == items.n;

		term_wrap_with(term, item_style(t, &items.at[i], leaf), text, leaf ? "" : " ›");
	}
	fputc('\n', term->out);
	vec_release(&items);
}

static void put_block(struct term *term, const struct doc_block *b, const struct format_options *o)
{
	switch (b->kind) {
	case BLOCK_TEXT:
		term_spaces(term, TXT_MARGIN);
		term_wrap_begin(term, TXT_MARGIN);
		term_wrap_text(term, TERM_PLAIN, b->text);
		break;
	case BLOCK_FACTS:
		put_facts(term, b);
		break;
	case BLOCK_TABLE:
		txt_table(term, &b->table, o->rows);
		break;
	case BLOCK_FLAME:
	case BLOCK_TREE:
		put_tree(term, b->tree, format_least(o));
		break;
	case BLOCK_HEAT:
		put_heat(term, &b->heat);
		break;
	case BLOCK_CHART:
		txt_calls(term, &b->chart);
		break;
	case BLOCK_PATHS:
		for (size_t i = 0; i < b->paths.n; i++)
			put_path(term, b->tree, &b->paths.at[i]);
		break;
	case BLOCK_HEADING:
		break;
	}
}

static int txt_write(const struct doc *doc, const struct format_options *options, FILE *out)
{
	struct term term = {.out = out,
			    .colour = options->colour,
			    .ascii = options->ascii,
			    .width = options->width};
	const char *heading = NULL;

	put_title(&term, doc);
	for (size_t i = 0; i < doc->blocks.n; i++) {
		const struct doc_block *b = &doc->blocks.at[i];

		if (b->kind == BLOCK_HEADING) {
			if (heading)
				put_heading(&term, heading, NULL);
			heading = b->text;
			continue;
		}
		if (heading || (b->text && b->text[0] && b->kind != BLOCK_TEXT))
			put_heading(&term, heading, b->kind == BLOCK_TEXT ? NULL : b->text);
		else if (i == 0 ||
			 (b->kind == BLOCK_FACTS && doc->blocks.at[i - 1].kind == BLOCK_TEXT))
			fputc('\n', out);
		heading = NULL;
		put_block(&term, b, options);
	}
	if (heading)
		put_heading(&term, heading, NULL);
	return 0;
}

const struct format txt_format = {
	.extension = "txt",
	.about = "plain text, as on the terminal",
	.medium = DOC_TERMINAL,
	.write = txt_write,
};
