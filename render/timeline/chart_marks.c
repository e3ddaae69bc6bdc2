#include "timeline/chart_marks.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "model/profile.h"
#include "model/timed_event.h"
#include "timeline/call_choice.h"

static void number_lanes(struct chart_marks *f)
{
	bool fresh;

	for (uint32_t i = 0; i < f->chart->lanes.n; i++) {
		const struct chart_lane *lane = &f->chart->lanes.at[i];

		*map_put(&f->by_stack, hash_two(lane->thread, lane->coroutine), &fresh) = i;
	}
}

/* The lane of a coroutine, or that of the thread; CALLS_NONE: neither is drawn. */
static uint32_t lane_of(const struct chart_marks *f, const struct timed_event *e)
{
	const uint32_t *lane = map_get(&f->by_stack, hash_two(e->thread, e->coroutine));

	if (!lane)
		lane = map_get(&f->by_stack, hash_two(e->thread, 0));
	return lane ? *lane : CALLS_NONE;
}

/* Joins it with the one before of its lane and kind, if that is near. */
static void put(struct chart_marks *f, const struct chart_mark *m)
{
	bool fresh;
	uint32_t *at = map_put(&f->open, hash_two(m->lane, m->kind), &fresh);
	struct chart_mark *before = fresh ? NULL : &f->chart->marks.at[*at];

	if (before && f->gap_ns && m->start_ns <= before->end_ns + f->gap_ns) {
		before->n += m->n;
		before->end_ns = m->end_ns > before->end_ns ? m->end_ns : before->end_ns;
		return;
	}
	*at = (uint32_t)f->chart->marks.n;
	vec_push(&f->chart->marks, *m);
}

static void put_moment(struct chart_marks *f, const struct timed_event *e, uint32_t kind)
{
	const struct chart_mark m = {.start_ns = e->time_ns,
				     .end_ns = e->time_ns,
				     .lane = lane_of(f, e),
				     .kind = kind,
				     .text = e->argument,
				     .n = 1};

	if (m.lane != CALLS_NONE && call_choice_takes(f->c, e))
		put(f, &m);
}

static void put_wait(struct chart_marks *f, const struct timed_event *e)
{
	const uint64_t ns = e->value1 > 0 ? (uint64_t)e->value1 : 0;
	struct chart_mark m = {.start_ns = e->time_ns > ns ? e->time_ns - ns : 0,
			       .end_ns = e->time_ns,
			       .lane = lane_of(f, e),
			       .kind = MARK_WAIT,
			       .text = f->why[e->thread],
			       .n = 1};

	if (m.lane == CALLS_NONE || m.end_ns <= f->chart->from_ns ||
	    m.start_ns >= f->chart->to_ns || (f->c->thread && !f->c->thread[e->thread]))
		return;
	m.start_ns = m.start_ns > f->chart->from_ns ? m.start_ns : f->chart->from_ns;
	m.end_ns = m.end_ns < f->chart->to_ns ? m.end_ns : f->chart->to_ns;
	put(f, &m);
}

/* @before: of the event before it. What comes after the recorder stopped has no end. */
static void put_lost(struct chart_marks *f, const struct timed_event *e, uint64_t before)
{
	const struct call_chart *chart = f->chart;
	struct chart_mark m = {.start_ns = e->value2 == EVENT_LOST_OLDER ? 0 : before,
			       .end_ns = e->value2 == EVENT_LOST_NEWER ? chart->to_ns : e->time_ns,
			       .lane = CALLS_NONE,
			       .kind = MARK_LOST,
			       .text = e->argument,
			       .n = e->value1 > 0 ? (uint64_t)e->value1 : 0};

	if (m.end_ns < chart->from_ns || m.start_ns > chart->to_ns)
		return;
	m.start_ns = m.start_ns > chart->from_ns ? m.start_ns : chart->from_ns;
	m.end_ns = m.end_ns < chart->to_ns ? m.end_ns : chart->to_ns;
	put(f, &m);
}

static void put_event(struct chart_marks *f, const struct timed_event *e, uint64_t before)
{
	switch (e->event) {
	case EVENT_EXCEPTION:
	case EVENT_C_EXCEPTION:
		if (e->value1 == EVENT_THROWN || e->value1 == EVENT_CAUGHT)
			put_moment(f, e, e->value1 == EVENT_THROWN ? MARK_THROWN : MARK_CAUGHT);
		break;
	case EVENT_TRIGGER:
		put_moment(f, e, MARK_TRIGGER);
		break;
	case EVENT_SWITCH_OUT:
		f->why[e->thread] = e->argument;
		break;
	case EVENT_SWITCH_IN:
		put_wait(f, e);
		break;
	case EVENT_LOST:
		put_lost(f, e, before);
		break;
	default:
		break;
	}
}

static int by_place(const void *a, const void *b)
{
	const struct chart_mark *x = a, *y = b;

	return order_up(x->lane, y->lane) ?: order_up(x->kind, y->kind) ?:
	       order_up(x->start_ns, y->start_ns);
}

bool chart_marks_has(const struct timed_event *e)
{
	const bool exception = e->event == EVENT_EXCEPTION || e->event == EVENT_C_EXCEPTION;

	return e->event == EVENT_TRIGGER || e->event == EVENT_SWITCH_IN || e->event == EVENT_LOST ||
	       (exception && (e->value1 == EVENT_THROWN || e->value1 == EVENT_CAUGHT));
}

/* What is nearer is one mark: nothing where all have room, else as much as leaves room for all
 * kinds in all lanes. */
static uint64_t gap_of(const struct call_chart *chart, uint64_t n)
{
	const double span = (double)(chart->to_ns - chart->from_ns);

	return n <= CHART_MARKS_MOST ? 0
				     : (uint64_t)(span * (double)(chart->lanes.n + 1) *
						  (MARK_KINDS - 1) / CHART_MARKS_MOST);
}

void chart_marks_begin(struct chart_marks *f, struct call_chart *chart, const struct call_choice *c,
		       uint64_t n)
{
	*f = (struct chart_marks){.chart = chart, .c = c, .gap_ns = gap_of(chart, n)};
	f->why = mem_zalloc(c->profile->threads.n + 1, sizeof(*f->why));
	number_lanes(f);
}

void chart_marks_take(struct chart_marks *f, const struct timed_event *e)
{
	put_event(f, e, f->before_ns);
	f->before_ns = e->time_ns;
}

void chart_marks_finish(struct chart_marks *f)
{
	vec_sort(&f->chart->marks, by_place);
	map_release(&f->by_stack);
	map_release(&f->open);
	free(f->why);
}
