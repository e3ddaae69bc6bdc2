#include "timeline/call_chart.h"

#include <stdlib.h>

#include "base/str.h"
#include "base/units.h"

void call_chart_release(struct call_chart *chart)
{
	vec_release(&chart->lanes);
	vec_release(&chart->boxes);
	vec_release(&chart->marks);
	vec_release(&chart->own);
}

void call_chart_add(const struct call_chart *chart, uint64_t from_ns, uint64_t to_ns, double weight,
		    double *cells, size_t n)
{
	const double each = (double)(chart->to_ns - chart->from_ns) / (double)n;
	const double from = (double)(from_ns - chart->from_ns) / each;
	const double to = (double)(to_ns - chart->from_ns) / each;

	for (size_t i = (size_t)from; i < n && (double)i < to; i++) {
		const double left = from > (double)i ? from : (double)i;
		const double right = to < (double)i + 1 ? to : (double)i + 1;

		cells[i] += weight * (right - left);
	}
}

char *call_chart_note(const struct call_chart *chart)
{
	struct str s = {0};
	bool coroutines = false;

	vec_each (lane, &chart->lanes)
		coroutines |= lane->coroutine != 0;
	str_addf(&s, "%s call%s of %s thread%s%s", count_text((int64_t)chart->calls),
		 chart->calls == 1 ? "" : "s", count_text((int64_t)chart->lanes.n),
		 chart->lanes.n == 1 ? "" : "s", coroutines ? " and coroutines" : "");
	if (chart->merged)
		str_addf(&s,
			 "; %s shorter than %s are merged with their neighbours into grey boxes",
			 count_text((int64_t)chart->merged), ns_text((double)chart->least_ns));
	if (chart->left_lanes)
		str_addf(&s, "; %s threads with less time in calls are not drawn",
			 count_text((int64_t)chart->left_lanes));
	if (chart->left_calls)
		str_addf(&s, "; %s calls are not drawn, of such threads or deeper than %d",
			 count_text((int64_t)chart->left_calls), CHART_DEPTH_MOST);
	return str_steal(&s);
}

const char *chart_mark_name(uint32_t kind)
{
	static const char *const names[MARK_KINDS] = {
		[MARK_THROWN] = "exception thrown", [MARK_CAUGHT] = "exception caught",
		[MARK_TRIGGER] = "trigger",	    [MARK_WAIT] = "off the CPU",
		[MARK_LOST] = "not recorded",
	};

	return kind < MARK_KINDS ? names[kind] : "";
}
