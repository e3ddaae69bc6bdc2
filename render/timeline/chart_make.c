#include "timeline/chart_make.h"

#include <stdlib.h>

#include "base/mem.h"
#include "model/profile.h"
#include "model/timed_event.h"
#include "timeline/call_sums.h"
#include "timeline/chart_marks.h"
#include "timeline/chart_own.h"
#include "timeline/timed_calls.h"

/* --- lanes ------------------------------------------------------------------------------------ */

/* A lane of the walks: its place in the chart, and what of it is drawn. */
struct drawn_lane {
	uint32_t number; /* CALLS_NONE: it is left out */
	uint32_t depth_least;
	struct chart_box *open; /* of merged calls, by row; n 0: none */
};

struct drawing {
	struct call_chart *chart;
	uint64_t gap_ns;
	struct drawn_lane *lanes;
	size_t n;
	struct chart_marks marks;
	bool own;
	struct chart_own_work own_work;
};

static int most_time_first(const void *a, const void *b, void *sums)
{
	const struct lane_sums *lanes = sums, *x = &lanes[*(const uint32_t *)a],
			       *y = &lanes[*(const uint32_t *)b];

	return order_down(!!x->calls, !!y->calls) ?: order_down(x->self_ns, y->self_ns) ?:
	       order_up(x->thread, y->thread) ?: order_up(x->coroutine, y->coroutine);
}

static int by_thread(const void *a, const void *b, void *sums)
{
	const struct lane_sums *lanes = sums, *x = &lanes[*(const uint32_t *)a],
			       *y = &lanes[*(const uint32_t *)b];

	return order_up(x->thread, y->thread) ?: order_up(x->coroutine, y->coroutine);
}

static void put_lane(struct drawing *d, uint32_t at, const struct lane_sums *lane)
{
	const uint32_t rows = lane->depth_most - lane->depth_least + 1;

	d->lanes[at].number = (uint32_t)d->chart->lanes.n;
	d->lanes[at].depth_least = lane->depth_least;
	d->lanes[at].open = mem_zalloc(CHART_DEPTH_MOST, sizeof(*d->lanes[at].open));
	vec_push(&d->chart->lanes,
		 ((struct chart_lane){.thread = lane->thread,
				      .coroutine = lane->coroutine,
				      .rows = rows < CHART_DEPTH_MOST ? rows : CHART_DEPTH_MOST,
				      .calls = lane->calls}));
}

/* The lanes with most time in calls. */
static void choose_lanes(struct drawing *d, const struct call_sums *sums)
{
	const size_t n = sums->lanes.n;
	_free_ uint32_t *order = mem_zalloc(n + 1, sizeof(*order));
	struct lane_sums *lanes = sums->lanes.at;
	size_t shown = 0;

	d->n = n;
	d->lanes = mem_zalloc(n + 1, sizeof(*d->lanes));
	for (uint32_t i = 0; i < n; i++) {
		order[i] = i;
		d->lanes[i].number = CALLS_NONE;
	}
	qsort_r(order, n, sizeof(*order), most_time_first, lanes);
	while (shown < n && lanes[order[shown]].calls && shown < CHART_LANES_MOST)
		shown++;
	for (size_t i = shown; i < n; i++) {
		d->chart->left_lanes += lanes[order[i]].calls != 0;
		d->chart->left_calls += lanes[order[i]].calls;
	}
	qsort_r(order, shown, sizeof(*order), by_thread, lanes);
	for (size_t i = 0; i < shown; i++)
		put_lane(d, order[i], &lanes[order[i]]);
}

/* --- the level of detail ---------------------------------------------------------------------- */

/* Short neighbours are one box if less than this is between them: so long that there is about one
 * box a call that has its own, however many rows there are. */
static uint64_t gap_of(const struct call_chart *chart)
{
	uint64_t rows = 0;

	vec_each (lane, &chart->lanes)
		rows += lane->rows;
	return (uint64_t)((double)(chart->to_ns - chart->from_ns) * (double)rows /
			  CHART_CALLS_MOST) +
	       1;
}

static void flush(struct drawing *d, struct chart_box *open)
{
	if (open->n)
		vec_push(&d->chart->boxes, *open);
	d->chart->merged += open->n > 1 ? open->n : 0;
	open->n = 0;
}

static void put_short(struct drawing *d, struct chart_box *open, const struct chart_box *b)
{
	if (open->n && b->start_ns > open->end_ns + d->gap_ns)
		flush(d, open);
	if (!open->n) {
		*open = *b;
		return;
	}
	open->frame = open->argument = open->flags = 0;
	open->n++;
	open->start_ns = b->start_ns < open->start_ns ? b->start_ns : open->start_ns;
	open->end_ns = b->end_ns > open->end_ns ? b->end_ns : open->end_ns;
}

/* Those of a row come in order of time. */
static void put_call(struct drawing *d, const struct call *call, const struct drawn_lane *lane,
		     uint32_t row)
{
	const struct call_chart *chart = d->chart;
	const struct chart_box box = {
		.start_ns = call->start_ns > chart->from_ns ? call->start_ns : chart->from_ns,
		.end_ns = call->end_ns < chart->to_ns ? call->end_ns : chart->to_ns,
		.lane = lane->number,
		.row = row,
		.n = 1,
		.frame = call->frame,
		.argument = call->argument,
		.flags = call->flags};

	if (call_ns(call) < chart->least_ns) {
		put_short(d, &lane->open[row], &box);
		return;
	}
	flush(d, &lane->open[row]);
	vec_push(&d->chart->boxes, box);
}

static int by_place(const void *a, const void *b)
{
	const struct chart_box *x = a, *y = b;

	return order_up(x->lane, y->lane) ?: order_up(x->row, y->row) ?:
	       order_up(x->start_ns, y->start_ns) ?: order_up(x->end_ns, y->end_ns);
}

/* --- all together ----------------------------------------------------------------------------- */

static void take_event(void *data, const struct timed_event *e)
{
	struct drawing *d = data;

	chart_marks_take(&d->marks, e);
	if (d->own)
		chart_own_take(&d->own_work, e);
}

static void end_call(void *data, struct call_walk *w, struct walked_call *c)
{
	struct drawing *d = data;
	const struct drawn_lane *lane = c->call.lane < d->n ? &d->lanes[c->call.lane] : NULL;
	uint32_t row;

	(void)w;
	if (!c->taken || !lane || lane->number == CALLS_NONE)
		return;
	row = c->call.depth - lane->depth_least;
	if (row < CHART_DEPTH_MOST)
		put_call(d, &c->call, lane, row);
	else
		d->chart->left_calls++;
}

static int draw(struct drawing *d, struct call_choice *c, uint64_t marks)
{
	const struct call_taker taker = {.event = take_event, .end = end_call, .data = d};
	int rc;

	chart_marks_begin(&d->marks, d->chart, c, marks);
	if (d->own)
		chart_own_begin(&d->own_work, d->chart);
	rc = call_walk_all(c, &taker);
	chart_marks_finish(&d->marks);
	if (d->own)
		chart_own_finish(&d->own_work);
	for (size_t i = 0; i < d->n; i++) {
		for (size_t row = 0; d->lanes[i].open && row < CHART_DEPTH_MOST; row++)
			flush(d, &d->lanes[i].open[row]);
		free(d->lanes[i].open);
	}
	vec_sort(&d->chart->boxes, by_place);
	return rc;
}

int chart_make(struct call_chart *chart, struct call_choice *c, const struct call_sums *sums)
{
	/* Events may be later than the capture's end, if clocks disagree. */
	const uint64_t end_ns = calls_end_ns(c->profile);
	/* Net times are without the profiler's work. */
	struct drawing d = {.chart = chart, .own = !c->net};
	int rc;

	*chart = (struct call_chart){.profile = c->profile,
				     .from_ns = c->from_ns,
				     .to_ns = c->to_ns < end_ns ? c->to_ns : end_ns,
				     .calls = sums->taken,
				     .least_ns = sums->longer_ns};
	if (chart->to_ns <= chart->from_ns)
		chart->to_ns = chart->from_ns + 1;
	choose_lanes(&d, sums);
	d.gap_ns = gap_of(chart);
	rc = draw(&d, c, sums->marks);
	free(d.lanes);
	return rc;
}
