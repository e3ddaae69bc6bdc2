/* The calls of a timeline as text: a line each lane, how full of calls its time was. */
#include "format/txt.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "paint/words.h"
#include "timeline/call_choice.h"

#define NAME_WIDTH  20
#define WIDE	    100 /* where there is no terminal */
#define CELLS_LEAST 10
#define CELLS_MOST  200

static void put_lane(struct term *term, const struct call_chart *chart, uint32_t lane, size_t n)
{
	const struct chart_lane *l = &chart->lanes.at[lane];
	_free_ char *name = call_lane_name(chart->profile, l->thread, l->coroutine);
	_free_ char *cut = term_cut(term, name, NAME_WIDTH);
	_free_ double *cells = mem_zalloc(n, sizeof(*cells));
	struct str s = {0};

	vec_each (b, &chart->boxes)
		if (b->lane == lane && !b->row)
			call_chart_add(chart, b->start_ns, b->end_ns, 1, cells, n);
	/* What part of each cell is in outermost calls. */
	for (size_t i = 0; i < n; i++)
		str_add(&s, txt_shade(term, cells[i] <= 0 ? 0 : 1 + (size_t)(cells[i] * 3.999)));
	term_spaces(term, TXT_MARGIN);
	term_left(term, TERM_DIM, NAME_WIDTH + 1, cut);
	term_put(term, TERM_BAR, str_text(&s));
	fputc('\n', term->out);
	str_release(&s);
}

void txt_calls(struct term *term, const struct call_chart *chart)
{
	const size_t width = term->width ? term->width : WIDE;
	const size_t room = width > NAME_WIDTH + 3 ? width - NAME_WIDTH - 3 : 0;
	const size_t n = room < CELLS_LEAST ? CELLS_LEAST : room < CELLS_MOST ? room : CELLS_MOST;
	_free_ char *calls = call_chart_note(chart);
	_free_ char *note = NULL;
	char from[UNITS_BUF];

	for (uint32_t lane = 0; lane < chart->lanes.n; lane++)
		put_lane(term, chart, lane, n);
	note = mem_printf(
		"%s; from %s to %s, left to right; the fuller, the more of the time was "
		"in calls",
		calls, chart->from_ns ? units_ns(from, sizeof(from), (double)chart->from_ns) : "0",
		ns_text((double)chart->to_ns));
	term_spaces(term, TXT_MARGIN);
	term_wrap_begin(term, TXT_MARGIN);
	term_wrap_text(term, TERM_DIM, note);
}
