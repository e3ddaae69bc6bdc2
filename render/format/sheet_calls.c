/* The calls of a timeline on a sheet: a lane each thread and coroutine, calls nested downwards,
 * time from left to right. */
#include "format/sheet.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "model/profile.h"
#include "model/timed_event.h"
#include "paint/chart_colours.h"
#include "paint/flame.h"
#include "paint/words.h"
#include "timeline/call_choice.h"

#define LEFT	    96.0 /* for the names of lanes */
#define ROW	    9.4
#define ROW_LEAST   5.0
#define LANE_GAP    6.0
#define STRIP	    2.6 /* of waits, below the calls */
#define OWN	    5.0 /* of the profiler's own work, below that */
#define OWN_GAP	    1.0
#define NARROW	    0.4 /* boxes below are one with their neighbours */
#define EDGE	    1.2 /* at which a call was cut, or left by an exception */
#define TICK	    64.0
#define AXIS	    22.0
#define LEGEND	    18.0
#define LETTER	    0.62 /* width, per size: a number that is cut is another one */
#define LEGEND_NAME 28	 /* letters */

struct drawing {
	struct sheet *s;
	const struct call_chart *chart;
	double x, width, top, row, size; /* top: of the lanes on this page */
	bool strips;			 /* it has waits */
	size_t box, mark, own;		 /* of the next lane */
	struct chart_colours colours;
};

#define MERGED_LABEL "several short calls"

static double x_of(const struct drawing *d, uint64_t ns)
{
	const double part =
		(double)(ns - d->chart->from_ns) / (double)(d->chart->to_ns - d->chart->from_ns);

	return d->x + d->width * fmin(1, fmax(0, part));
}

/* --- boxes ------------------------------------------------------------------------------------ */

/* Boxes of a row that are too narrow to be told apart. */
struct run {
	double from, to;
	uint64_t n;
};

static void put_run(struct drawing *d, double y, struct run *run)
{
	const struct plot_rect r = {run->from, y, fmax(run->to - run->from, NARROW), d->row};
	_free_ char *name =
		mem_printf("%s call%s", count_text((int64_t)run->n), run->n == 1 ? "" : "s");

	if (run->n)
		canvas_named_box(&d->s->canvas, FLAME_MERGED,
				 r.w < ((double)strlen(name) + 1) * LETTER * d->size ? NULL : name,
				 &r, d->size);
	run->n = 0;
}

static void put_edges(struct drawing *d, const struct chart_box *b, const struct plot_rect *r)
{
	const struct rgb cut = d->s->canvas.look->label;
	struct canvas *c = &d->s->canvas;

	if (r->w < 2 * EDGE)
		return;
	if (b->flags & CALL_CUT_BEGIN)
		canvas_box(c, cut, r->x, r->y, EDGE, r->h - 1);
	if (b->flags & CALL_CUT_END)
		canvas_box(c, cut, r->x + r->w - EDGE, r->y, EDGE, r->h - 1);
	if (b->flags & (CALL_PASSED | CALL_JUMPED))
		canvas_box(c, CHART_MARK_COLOURS[MARK_THROWN], r->x + r->w - EDGE, r->y, EDGE,
			   r->h - 1);
}

static void put_call(struct drawing *d, const struct chart_box *b, double y)
{
	const struct profile *p = d->chart->profile;
	const struct function *f = &p->functions.at[p->frames.at[b->frame].function];
	const struct plot_rect r = {x_of(d, b->start_ns), y,
				    x_of(d, b->end_ns) - x_of(d, b->start_ns), d->row};

	canvas_named_box(&d->s->canvas, chart_colour(&d->colours, p->frames.at[b->frame].function),
			 profile_text(p, f->name), &r, d->size);
	put_edges(d, b, &r);
}

/* Those of a row follow each other. */
static void put_boxes(struct drawing *d, uint32_t lane, double top)
{
	const struct call_chart *chart = d->chart;
	struct run run = {0};
	uint32_t row = 0;

	for (; d->box < chart->boxes.n && chart->boxes.at[d->box].lane == lane; d->box++) {
		const struct chart_box *b = &chart->boxes.at[d->box];
		const double from = x_of(d, b->start_ns), to = x_of(d, b->end_ns);
		const bool narrow = to - from < NARROW || b->n > 1;

		if (run.n && (b->row != row || !narrow || from > run.to + NARROW))
			put_run(d, top + row * d->row, &run);
		row = b->row;
		if (!narrow) {
			put_call(d, b, top + row * d->row);
			continue;
		}
		run.from = run.n ? run.from : from;
		run.to = run.n ? fmax(run.to, to) : to;
		run.n += b->n;
	}
	put_run(d, top + row * d->row, &run);
}

/* --- marks ------------------------------------------------------------------------------------ */

static void put_mark(struct drawing *d, const struct chart_mark *m, double top, double height)
{
	const double x = x_of(d, m->start_ns), w = fmax(x_of(d, m->end_ns) - x, 1);
	struct canvas *c = &d->s->canvas;

	if (m->kind == MARK_WAIT)
		canvas_box(c, CHART_MARK_COLOURS[m->kind], x, top + height, w, STRIP);
	else if (m->kind == MARK_TRIGGER)
		canvas_box(c, CHART_MARK_COLOURS[m->kind], x, top - LANE_GAP / 2, 1,
			   height + LANE_GAP / 2);
	else
		canvas_box(c, CHART_MARK_COLOURS[m->kind], x - 0.3,
			   m->kind == MARK_THROWN ? top - 4 : top - 1, w + 0.6,
			   m->kind == MARK_THROWN ? 3 : 2);
}

static void put_marks(struct drawing *d, uint32_t lane, double top, double height)
{
	const struct call_chart *chart = d->chart;

	for (; d->mark < chart->marks.n && chart->marks.at[d->mark].lane == lane; d->mark++)
		put_mark(d, &chart->marks.at[d->mark], top, height);
}

static void put_lost(struct drawing *d, double top, double height)
{
	vec_each (m, &d->chart->marks)
		if (m->kind == MARK_LOST)
			canvas_box(&d->s->canvas, d->s->canvas.look->rule, x_of(d, m->start_ns),
				   top, fmax(x_of(d, m->end_ns) - x_of(d, m->start_ns), 1), height);
}

/* --- the profiler's own work ------------------------------------------------------------------ */

static struct rgb towards(struct rgb from, struct rgb to, unsigned eighths)
{
	return (struct rgb){(uint8_t)((from.r * (8 - eighths) + to.r * eighths) / 8),
			    (uint8_t)((from.g * (8 - eighths) + to.g * eighths) / 8),
			    (uint8_t)((from.b * (8 - eighths) + to.b * eighths) / 8)};
}

/* Percent by column of a point. */
static void put_columns(struct drawing *d, double top, const double *percent, size_t n)
{
	const double each = d->width / (double)n;

	for (size_t i = 0, end; i < n; i = end) {
		const double height = OWN * fmin(1, percent[i] / 100);

		for (end = i + 1; end < n && fabs(percent[end] - percent[i]) < 1; end++)
			;
		if (height > 0)
			canvas_box(&d->s->canvas, CHART_OWN_COLOUR, d->x + (double)i * each,
				   top + OWN - height, (double)(end - i) * each, height);
	}
}

/* A band as high as all of the time, filled from below. */
static void put_own(struct drawing *d, uint32_t lane, double top)
{
	const struct call_chart *chart = d->chart;
	const size_t n = (size_t)fmax(1, d->width);
	_free_ double *percent = mem_zalloc(n, sizeof(*percent));

	for (; d->own < chart->own.n && chart->own.at[d->own].lane == lane; d->own++) {
		const struct chart_own *own = &chart->own.at[d->own];

		call_chart_add(chart, own->start_ns, own->end_ns, own->percent, percent, n);
	}
	canvas_text_in(&d->s->canvas, FONT_SMALL, d->s->canvas.look->grey, SHEET_MARGIN + 8,
		       top + OWN, LEFT - 16, CHART_OWN_NAME);
	canvas_box(&d->s->canvas, towards(d->s->canvas.look->paper, CHART_OWN_COLOUR, 1), d->x, top,
		   d->width, OWN);
	put_columns(d, top, percent, n);
}

/* --- legend and axis -------------------------------------------------------------------------- */

/* What has no room is left out. */
static void put_entry(struct drawing *d, double *x, struct rgb colour, const char *label)
{
	struct sheet *s = d->s;
	const double width = 12 + canvas_width(&s->canvas, FONT_SMALL, label);

	if (*x + width > s->width - SHEET_MARGIN)
		return;
	canvas_box(&s->canvas, colour, *x, s->y + 1, 8, 8);
	canvas_text(&s->canvas, FONT_SMALL, s->canvas.look->grey, *x + 12, s->y + 8, label);
	*x += width + 14;
}

static void put_mark_entries(struct drawing *d, double *x)
{
	bool there[MARK_KINDS] = {false}, left = false;

	vec_each (m, &d->chart->marks)
		there[m->kind] = true;
	vec_each (b, &d->chart->boxes)
		left |= (b->flags & (CALL_PASSED | CALL_JUMPED)) != 0;
	for (uint32_t k = 0; k < MARK_KINDS; k++)
		if (there[k])
			put_entry(d, x,
				  k == MARK_LOST ? d->s->canvas.look->rule : CHART_MARK_COLOURS[k],
				  chart_mark_name(k));
	if (left && !there[MARK_THROWN])
		put_entry(d, x, CHART_MARK_COLOURS[MARK_THROWN], "left by an exception or a jump");
	if (d->chart->own.n)
		put_entry(d, x, CHART_OWN_COLOUR, CHART_OWN_NAME CHART_OWN_SCALE);
}

/* Marks first: names of functions stand in boxes, too. */
static void put_legend(struct drawing *d)
{
	const struct profile *p = d->chart->profile;
	double x = SHEET_MARGIN;

	put_mark_entries(d, &x);
	put_entry(d, &x, FLAME_MERGED, MERGED_LABEL);
	for (size_t i = 0; i < d->colours.functions.n && i < CHART_COLOURS; i++) {
		const struct function *f = &p->functions.at[d->colours.functions.at[i]];
		_free_ char *name = cut_middle(profile_text(p, f->name), LEGEND_NAME);

		put_entry(d, &x, chart_colour(&d->colours, d->colours.functions.at[i]), name);
	}
	d->s->y += LEGEND;
}

/* The least of 1, 2, 5, 10 … ns of which no more than @most are in @span. */
static double tick_of(double span, double most)
{
	static const double factors[] = {1, 2, 5};

	for (double decade = 1;; decade *= 10)
		for (size_t i = 0; i < 3; i++)
			if (span <= most * decade * factors[i])
				return decade * factors[i];
}

/* Below the lanes, with lines through them. */
static void put_axis(struct drawing *d)
{
	struct sheet *s = d->s;
	const double from = (double)d->chart->from_ns, to = (double)d->chart->to_ns;
	const double tick = tick_of(to - from, fmax(1, floor(d->width / TICK)));
	const struct rgb grey = s->canvas.look->grey, rule = s->canvas.look->rule;

	canvas_box(&s->canvas, rule, d->x, s->y + 1, d->width, 0.6);
	/* By number: late times may be so large that a tick changes nothing. */
	for (int i = 0; i <= d->width / TICK; i++) {
		const double t = (ceil(from / tick) + i) * tick;
		const double x = x_of(d, (uint64_t)t);
		const char *text = t > 0 ? ns_text(t) : "0";

		if (t > to)
			break;
		canvas_box(&s->canvas, rule, x, s->y + 1, 0.6, 4);
		if (x + canvas_width(&s->canvas, FONT_SMALL, text) < s->width - SHEET_MARGIN + 4)
			canvas_text(&s->canvas, FONT_SMALL, grey, x + 1, s->y + 14, text);
	}
	s->y += AXIS;
}

/* --- lanes ------------------------------------------------------------------------------------ */

static double calls_height(const struct drawing *d, uint32_t lane)
{
	return d->chart->lanes.at[lane].rows * d->row;
}

/* With what is below the calls. */
static double lane_height(const struct drawing *d, uint32_t lane)
{
	return calls_height(d, lane) + (d->strips ? STRIP : 0) +
	       (d->chart->lanes.at[lane].own ? OWN_GAP + OWN : 0);
}

static void put_name(struct drawing *d, uint32_t lane)
{
	const struct call_chart *chart = d->chart;
	const struct chart_lane *l = &chart->lanes.at[lane];
	const struct thread *t = &chart->profile->threads.at[l->thread];
	const bool below = l->coroutine && lane && chart->lanes.at[lane - 1].thread == l->thread;
	_free_ char *name =
		l->coroutine ? mem_printf(below ? "coroutine %u" : "coroutine %u of %u",
					  l->coroutine, t->tid)
			     : mem_printf("%s %u", profile_text(chart->profile, t->name), t->tid);

	canvas_text_in(&d->s->canvas, FONT_SMALL, d->s->canvas.look->ink,
		       SHEET_MARGIN + (l->coroutine ? 8 : 0), d->s->y + 7.5,
		       LEFT - 8 - (l->coroutine ? 8 : 0), name);
}

static void put_lane(struct drawing *d, uint32_t lane)
{
	struct sheet *s = d->s;
	const double height = calls_height(d, lane), all = lane_height(d, lane);

	put_name(d, lane);
	if (s->drawn) {
		canvas_box(&s->canvas, s->canvas.look->rule, d->x, s->y - LANE_GAP / 2 - 0.3,
			   d->width, 0.3);
		if (d->chart->lanes.at[lane].own)
			put_own(d, lane, s->y + all - OWN);
		put_lost(d, s->y, all);
		put_boxes(d, lane, s->y);
		put_marks(d, lane, s->y, height);
	}
	s->y += all + LANE_GAP;
	s->empty = false;
}

static void put_lanes(struct drawing *d, const char *heading)
{
	struct sheet *s = d->s;

	for (uint32_t lane = 0; lane < d->chart->lanes.n; lane++) {
		if (lane && s->y + lane_height(d, lane) + LANE_GAP + AXIS > sheet_bottom(s)) {
			put_axis(d);
			sheet_next_page(s);
			sheet_heading_again(s, heading, "continued");
			s->y += LANE_GAP;
		}
		put_lane(d, lane);
	}
	put_axis(d);
}

/* Rows that fit a page, whichever lane is the deepest. */
static double row_height(const struct sheet *s, const struct call_chart *chart)
{
	const double room = sheet_bottom(s) - SHEET_TOP - LEGEND - AXIS - OWN - 60;
	uint32_t most = 1;

	vec_each (lane, &chart->lanes)
		most = lane->rows > most ? lane->rows : most;
	return fmax(ROW_LEAST, fmin(ROW, room / most));
}

void sheet_calls(struct sheet *s, const char *heading, const struct doc_block *b)
{
	struct drawing d = {.s = s,
			    .chart = &b->chart,
			    .x = SHEET_MARGIN + LEFT,
			    .width = sheet_room(s) - LEFT,
			    .row = row_height(s, &b->chart)};
	_free_ char *note = call_chart_note(&b->chart);

	vec_each (m, &b->chart.marks)
		d.strips |= m->kind == MARK_WAIT;
	chart_colours_init(&d.colours, &b->chart);
	d.size = canvas_rows(&s->canvas, d.row);
	sheet_need(s, 44 + LEGEND + lane_height(&d, 0) + LANE_GAP + AXIS);
	sheet_heading(s, heading, note);
	put_legend(&d);
	s->y += LANE_GAP;
	put_lanes(&d, heading);
	chart_colours_release(&d.colours);
	s->y += 8;
}
