#include "timeline/chart_own.h"

#include "base/mem.h"
#include "model/profile.h"
#include "timeline/own_work.h"
#include "timeline/timed_calls.h"

#define NO_LANE UINT32_MAX

/* Per thread, as threads_first() has it, the lane that shows its work. Freed by the caller. */
static uint32_t *lanes_of(const struct call_chart *chart)
{
	const size_t n = chart->profile->threads.n;
	_free_ uint32_t *first = threads_first(chart->profile, NULL);
	uint32_t *lane = mem_zalloc(n + 1, sizeof(*lane));

	for (size_t i = 0; i < n; i++)
		lane[i] = NO_LANE;
	for (size_t i = chart->lanes.n; i-- > 0;)
		lane[first[chart->lanes.at[i].thread]] = (uint32_t)i;
	return lane;
}

static void put(struct call_chart *chart, uint32_t lane, const struct own_level *level,
		uint64_t end_ns)
{
	chart->lanes.at[lane].own = true;
	if (level->percent > 0)
		vec_push(&chart->own,
			 ((struct chart_own){level->time_ns, end_ns, lane, level->percent}));
}

static int by_lane(const void *a, const void *b)
{
	const struct chart_own *x = a, *y = b;

	return order_up(x->lane, y->lane) ?: order_up(x->start_ns, y->start_ns);
}

void chart_own_begin(struct chart_own_work *w, struct call_chart *chart)
{
	const struct profile *p = chart->profile;
	const size_t room = CHART_OWN_MOST / (chart->lanes.n + 1);

	*w = (struct chart_own_work){
		.chart = chart,
		.span = {.from_ns = chart->from_ns,
			 .to_ns = chart->to_ns,
			 .most = room < OWN_WORK_MOST ? (uint32_t)room : OWN_WORK_MOST}};
	chart->own_step_ns = own_work_part_ns(&w->span);
	w->priced = !event_prices_find(p, p, &w->prices);
	if (w->priced)
		own_work_begin(&w->work, &w->prices, &w->span, &w->levels);
}

void chart_own_take(struct chart_own_work *w, const struct timed_event *e)
{
	if (w->priced)
		own_work_take(&w->work, e);
}

static void put_all(struct call_chart *chart, const own_levels *levels, uint64_t end_ns)
{
	_free_ uint32_t *lane = lanes_of(chart);

	for (size_t i = 0; i < levels->n; i++) {
		const struct own_level *level = &levels->at[i], *next = level + 1;
		const bool last = i + 1 == levels->n || next->thread != level->thread;

		if (lane[level->thread] != NO_LANE)
			put(chart, lane[level->thread], level, last ? end_ns : next->time_ns);
	}
	vec_sort(&chart->own, by_lane);
}

void chart_own_finish(struct chart_own_work *w)
{
	if (w->priced)
		own_work_finish(&w->work);
	put_all(w->chart, &w->levels, w->span.to_ns);
	vec_release(&w->levels);
	event_prices_release(&w->prices);
}
