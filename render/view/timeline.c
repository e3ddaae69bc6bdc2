/*
 * timeline: the calls of a timeline over time, a lane each thread and coroutine.
 */
#include "base/mem.h"
#include "timeline/call_choice.h"
#include "timeline/chart_make.h"
#include "timeline/chart_own.h"
#include "timeline/event_prices.h"
#include "view/facts.h"

static int timeline_write(const struct view_input *in, struct doc *doc)
{
	const struct call_choice *c;
	struct call_chart *chart;
	int rc;

	c = shared_calls_get(in->calls, in->profile, in->selection, &rc);
	if (!c)
		return rc;
	doc_heading(doc, "Calls over time");
	if (in->selection->net)
		doc_text(doc, NET_TIMES);
	if (!c->taken.n) {
		calls_none(c, doc);
		return 0;
	}
	chart = doc_chart(doc);
	chart_make(chart, c);
	/* Net times are without it. */
	if (!in->selection->net)
		chart_own_find(chart);
	return 0;
}

const struct view timeline_view = {
	.name = "timeline",
	.about = "the calls of a timeline over time, a lane each thread (--timeline)",
	.part = PART_EVENTS,
	.missing = TIMELINE_MISSING,
	.shows = {[DOC_PAGE] = SHOWS, [DOC_PAPER] = SHOWS},
	.write = timeline_write,
};
