#include "timeline/chart_make.h"

#include <stdlib.h>

#include "base/mem.h"
#include "model/profile.h"
#include "model/timed_event.h"
#include "timeline/call_choice.h"
#include "timeline/chart_marks.h"

/* --- lanes ------------------------------------------------------------------------------------ */

/* Per lane of the calls what of it is taken. */
struct lane_use {
	uint64_t calls, ns;
	uint32_t depth_least, depth_most;
	uint32_t lane; /* its number there */
};

static struct lane_use *use_of(const struct call_choice *c)
{
	struct lane_use *use = mem_zalloc(c->calls.lanes.n + 1, sizeof(*use));

	for (uint32_t i = 0; i < c->calls.lanes.n; i++)
		use[i] = (struct lane_use){.lane = i, .depth_least = UINT32_MAX};
	vec_each (at, &c->taken) {
		const struct call *call = &c->calls.at.at[*at];
		struct lane_use *u = &use[call->lane];

		u->calls++;
		u->ns += call->self_ns;
		u->depth_least = call->depth < u->depth_least ? call->depth : u->depth_least;
		u->depth_most = call->depth > u->depth_most ? call->depth : u->depth_most;
	}
	return use;
}

static int most_time_first(const void *a, const void *b)
{
	const struct lane_use *x = a, *y = b;

	return order_down(!!x->calls, !!y->calls) ?: order_down(x->ns, y->ns) ?:
	       order_up(x->lane, y->lane);
}

static int by_lane(const void *a, const void *b)
{
	const struct lane_use *x = a, *y = b;

	return order_up(x->lane, y->lane);
}

/* The lanes with most time in calls. Returns per lane of the calls its number in the chart;
 * CALLS_NONE: it is left out. Freed by the caller. */
static uint32_t *choose_lanes(struct call_chart *chart, const struct call_choice *c,
			      struct lane_use *use)
{
	const size_t n = c->calls.lanes.n;
	uint32_t *number = mem_zalloc(n + 1, sizeof(*number));
	size_t shown = 0;

	qsort(use, n, sizeof(*use), most_time_first);
	while (shown < n && use[shown].calls && shown < CHART_LANES_MOST)
		shown++;
	for (size_t i = 0; i < n; i++) {
		number[use[i].lane] = CALLS_NONE;
		chart->left_lanes += i >= shown && use[i].calls;
		chart->left_calls += i >= shown ? use[i].calls : 0;
	}
	qsort(use, shown, sizeof(*use), by_lane);
	for (uint32_t i = 0; i < shown; i++) {
		const struct call_lane *lane = &c->calls.lanes.at[use[i].lane];
		const uint32_t rows = use[i].depth_most - use[i].depth_least + 1;

		number[use[i].lane] = i;
		vec_push(&chart->lanes,
			 ((struct chart_lane){.thread = lane->thread,
					      .coroutine = lane->coroutine,
					      .rows = rows < CHART_DEPTH_MOST ? rows
									      : CHART_DEPTH_MOST,
					      .calls = use[i].calls}));
	}
	return number;
}

/* --- the level of detail ---------------------------------------------------------------------- */

static int up(const void *a, const void *b)
{
	return order_up(*(const uint64_t *)a, *(const uint64_t *)b);
}

/* The length from which on no more than CHART_CALLS_MOST calls are. */
static uint64_t least_of(const struct call_choice *c)
{
	_free_ uint64_t *ns = NULL;

	if (c->taken.n <= CHART_CALLS_MOST)
		return 0;
	ns = mem_zalloc(c->taken.n, sizeof(*ns));
	for (size_t i = 0; i < c->taken.n; i++)
		ns[i] = call_ns(&c->calls.at.at[c->taken.at[i]]);
	qsort(ns, c->taken.n, sizeof(*ns), up);
	return ns[c->taken.n - CHART_CALLS_MOST - 1] + 1;
}

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

struct drawing {
	struct call_chart *chart;
	uint64_t gap_ns;
	struct chart_box open[CHART_DEPTH_MOST]; /* of merged calls, by row; n 0: none */
};

static void flush(struct drawing *d, uint32_t row)
{
	struct chart_box *open = &d->open[row];

	if (open->n)
		vec_push(&d->chart->boxes, *open);
	d->chart->merged += open->n > 1 ? open->n : 0;
	open->n = 0;
}

static void flush_all(struct drawing *d)
{
	for (uint32_t row = 0; row < CHART_DEPTH_MOST; row++)
		flush(d, row);
}

static void put_short(struct drawing *d, const struct chart_box *b)
{
	struct chart_box *open = &d->open[b->row];

	if (open->n && b->start_ns > open->end_ns + d->gap_ns)
		flush(d, b->row);
	if (!open->n) {
		*open = *b;
		return;
	}
	open->frame = open->argument = open->flags = 0;
	open->n++;
	open->end_ns = b->end_ns > open->end_ns ? b->end_ns : open->end_ns;
}

static void put_call(struct drawing *d, const struct call *call, uint32_t lane, uint32_t row)
{
	const struct call_chart *chart = d->chart;
	const struct chart_box box = {
		.start_ns = call->start_ns > chart->from_ns ? call->start_ns : chart->from_ns,
		.end_ns = call->end_ns < chart->to_ns ? call->end_ns : chart->to_ns,
		.lane = lane,
		.row = row,
		.n = 1,
		.frame = call->frame,
		.argument = call->argument,

		.flags = call->flags};

	if (call_ns(call) < chart->least_ns) {
		put_short(d, &box);
		return;
	}
	flush(d, row);
	vec_push(&d->chart->boxes, box);
}

static int by_place(const void *a, const void *b)
{
	const struct chart_box *x = a, *y = b;

	return order_up(x->lane, y->lane) ?: order_up(x->row, y->row) ?:
	       order_up(x->start_ns, y->start_ns) ?: order_up(x->end_ns, y->end_ns);
}

/* @number: of lanes; @least: per lane of the calls its least depth. */
static void put_calls(struct call_chart *chart, const struct call_choice *c, const uint32_t *number,
		      const uint32_t *least)
{
	struct drawing d = {.chart = chart, .gap_ns = gap_of(chart)};
	uint32_t before = CALLS_NONE;

	vec_each (at, &c->taken) {
		const struct call *call = &c->calls.at.at[*at];
		const uint32_t row = call->depth - least[call->lane];

		if (number[call->lane] == CALLS_NONE)
			continue;
		if (call->lane != before)
			flush_all(&d);
		before = call->lane;
		if (row < CHART_DEPTH_MOST)
			put_call(&d, call, number[call->lane], row);
		else
			chart->left_calls++;
	}
	flush_all(&d);
	vec_sort(&chart->boxes, by_place);
}

/* --- all together ----------------------------------------------------------------------------- */

void chart_make(struct call_chart *chart, const struct call_choice *c)
{
	/* Events may be later than the capture's end, if clocks disagree. */
	const uint64_t end_ns = calls_end_ns(c->profile);
	_free_ struct lane_use *use = use_of(c);
	_free_ uint32_t *least = mem_zalloc(c->calls.lanes.n + 1, sizeof(*least));
	_free_ uint32_t *number = NULL;

	*chart = (struct call_chart){.profile = c->profile,
				     .from_ns = c->from_ns,
				     .to_ns = c->to_ns < end_ns ? c->to_ns : end_ns,
				     .calls = c->taken.n,
				     .least_ns = least_of(c)};
	if (chart->to_ns <= chart->from_ns)
		chart->to_ns = chart->from_ns + 1;
	for (size_t i = 0; i < c->calls.lanes.n; i++)
		least[i] = use[i].depth_least;
	number = choose_lanes(chart, c, use);
	put_calls(chart, c, number, least);
	chart_marks_find(chart, c, number);
}
