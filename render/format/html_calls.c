#include "format/html_calls.h"

#include <math.h>

#include "base/mem.h"
#include "model/profile.h"
#include "model/timed_event.h"
#include "paint/chart_colours.h"
#include "timeline/call_choice.h"

static uint32_t rgb_of(struct rgb c)
{
	return (uint32_t)c.r << 16 | (uint32_t)c.g << 8 | c.b;
}

static void functions_pack(const struct call_chart *chart, const struct chart_colours *colours,
			   struct pack *out)
{
	const struct profile *p = chart->profile;

	pack_uint(out, colours->functions.n);
	vec_each (function, &colours->functions) {
		const struct function *f = &p->functions.at[*function];

		pack_uint(out, pack_string(out, profile_text(p, f->name)));
		pack_uint(out, pack_string(out, profile_module_name(p, f->module)));
		pack_uint(out, rgb_of(chart_colour(colours, *function)));
	}
}

static void kinds_pack(struct pack *out)
{
	pack_uint(out, MARK_KINDS);
	for (uint32_t k = 0; k < MARK_KINDS; k++) {
		pack_uint(out, pack_string(out, chart_mark_name(k)));
		pack_uint(out, rgb_of(CHART_MARK_COLOURS[k]));
	}
}

/* By flags; those that cannot be are "". */
#define ENDS \
	((CALL_CUT_BEGIN | CALL_CUT_END | CALL_PASSED | CALL_JUMPED | CALL_UNSEEN | CALL_C) + 1)

static void ends_pack(struct pack *out)
{
	pack_uint(out, ENDS);
	for (uint32_t flags = 0; flags < ENDS; flags++)
		pack_uint(out, pack_string(out, call_ended(&(struct call){.flags = flags})));
}

static void lanes_pack(const struct call_chart *chart, struct pack *out)
{
	size_t box = 0, mark = 0, own = 0;

	pack_uint(out, chart->lanes.n);
	for (uint32_t i = 0; i < chart->lanes.n; i++) {
		const struct chart_lane *lane = &chart->lanes.at[i];
		_free_ char *name = call_lane_name(chart->profile, lane->thread, lane->coroutine);
		const size_t first_box = box, first_mark = mark, first_own = own;

		while (box < chart->boxes.n && chart->boxes.at[box].lane == i)
			box++;
		while (mark < chart->marks.n && chart->marks.at[mark].lane == i)
			mark++;
		while (own < chart->own.n && chart->own.at[own].lane == i)
			own++;
		pack_uint(out, pack_string(out, name));
		pack_uint(out, lane->coroutine != 0);
		pack_uint(out, lane->rows);
		pack_uint(out, lane->calls);
		pack_uint(out, box - first_box);
		pack_uint(out, mark - first_mark);
		pack_uint(out, lane->own ? 1 + own - first_own : 0);
	}
}

static void boxes_pack(const struct call_chart *chart, const struct chart_colours *colours,
		       struct pack *out)
{
	const struct profile *p = chart->profile;
	uint64_t before = 0;

	pack_uint(out, chart->boxes.n);
	vec_each (b, &chart->boxes)
		pack_uint(out, b->row);
	vec_each (b, &chart->boxes) {
		pack_int(out, (int64_t)(b->start_ns - before));
		before = b->start_ns;
	}
	vec_each (b, &chart->boxes)
		pack_uint(out, b->end_ns - b->start_ns);
	vec_each (b, &chart->boxes)
		pack_uint(out, b->frame ? colours->rank[p->frames.at[b->frame].function] + 1 : 0);
	vec_each (b, &chart->boxes)
		pack_uint(out, b->n);
	vec_each (b, &chart->boxes)
		pack_uint(out, b->flags < ENDS ? b->flags : 0);
	vec_each (b, &chart->boxes)
		pack_uint(out, pack_string(out, profile_text(p, b->argument)));
}

static void marks_pack(const struct call_chart *chart, struct pack *out)
{
	uint64_t before = 0;

	pack_uint(out, chart->marks.n);
	vec_each (m, &chart->marks)
		pack_uint(out, m->kind);
	vec_each (m, &chart->marks) {
		pack_int(out, (int64_t)(m->start_ns - before));
		before = m->start_ns;
	}
	vec_each (m, &chart->marks)
		pack_uint(out, m->end_ns - m->start_ns);
	vec_each (m, &chart->marks)
		pack_uint(out, m->n);
	vec_each (m, &chart->marks)
		pack_uint(out, pack_string(out, profile_text(chart->profile, m->text)));
}

static void own_pack(const struct call_chart *chart, struct pack *out)
{
	uint64_t before = 0;

	pack_uint(out, pack_string(out, CHART_OWN_NAME));
	pack_uint(out, pack_string(out, CHART_OWN_SCALE));
	pack_uint(out, rgb_of(CHART_OWN_COLOUR));
	pack_uint(out, chart->own_step_ns);
	pack_uint(out, chart->own.n);
	vec_each (own, &chart->own) {
		pack_int(out, (int64_t)(own->start_ns - before));
		before = own->start_ns;
	}
	vec_each (own, &chart->own)
		pack_uint(out, own->end_ns - own->start_ns);
	vec_each (own, &chart->own)
		pack_uint(out, (uint64_t)lround(10 * own->percent));
}

void html_calls_pack(const struct call_chart *chart, struct pack *out)
{
	struct chart_colours colours;

	chart_colours_init(&colours, chart);
	pack_uint(out, chart->from_ns);
	pack_uint(out, chart->to_ns);
	pack_uint(out, chart->least_ns);
	functions_pack(chart, &colours, out);
	kinds_pack(out);
	ends_pack(out);
	lanes_pack(chart, out);
	boxes_pack(chart, &colours, out);
	marks_pack(chart, out);
	own_pack(chart, out);
	chart_colours_release(&colours);
}
