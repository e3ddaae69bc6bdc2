/* A heat map of characters: as many columns as there is room for, four shades. */
#include "format/txt.h"

#include "base/str.h"
#include "base/units.h"

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

static const char *shade(const struct term *term, const struct grid *g, uint64_t sum)
{
	static const char *const blocks[] = {"·", "░", "▒", "▓", "█"};
	static const char *const plain[] = {".", "-", "+", "*", "#"};
	size_t i = !sum ? 0 : 1 + (size_t)(4 * (sum - 1) / (g->most ? g->most : 1));

	return (term->ascii ? plain : blocks)[i < 5 ? i : 4];
}

static void put_line(struct term *term, const struct grid *g, uint32_t line)
{
	char text[UNITS_BUF];
	struct str s = {0};

	units_ns(text, sizeof(text), (double)(line * g->down * g->heat->row_ns));
	term_spaces(term, TXT_MARGIN);
	term_right(term, TERM_DIM, LABEL - 1, line ? text : "0");
	term_spaces(term, 1);
	for (uint32_t x = 0; x < g->columns; x++)
		str_add(&s, shade(term, g, sum_of(g, x, line)));
	term_put(term, TERM_BAR, str_text(&s));
	fputc('\n', term->out);
	str_release(&s);
}

void txt_heat(struct term *term, const struct doc_heat *h)
{
	struct grid g = {.heat = h};
	char from[UNITS_BUF], to[UNITS_BUF], each[UNITS_BUF], most[UNITS_BUF];
	_free_ char *note = NULL;

	lay_out(term, &g);
	for (uint32_t line = g.lines; line-- > 0;)
		put_line(term, &g, line);
	note = mem_printf("from %s to %s, left to right; a character: %s and up to %s samples",
			  units_ns(from, sizeof(from), (double)h->from_ns),
			  units_ns(to, sizeof(to), (double)h->end_ns),
			  units_ns(each, sizeof(each), (double)(g.across * h->column_ns)),
			  units_count(most, sizeof(most), (int64_t)g.most));
	term_spaces(term, TXT_MARGIN);
	term_wrap_begin(term, TXT_MARGIN);
	term_wrap_text(term, TERM_DIM, note);
}
