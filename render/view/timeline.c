/*
 * timeline: the calls of a timeline over time, a lane each thread and coroutine.
 */
#include "timeline/call_sums.h"
#include "timeline/chart_make.h"
#include "timeline/event_prices.h"
#include "view/facts.h"

static int timeline_write(const struct view_input *in, struct doc *doc)
{
	const struct call_sums *sums;
	int rc;

	sums = shared_calls_get(in->calls, in->profile, in->selection, &rc);
	if (!sums)
		return rc;
	doc_heading(doc, "Calls over time");
	if (in->selection->net)
		doc_text(doc, NET_TIMES);
	if (!sums->taken) {
		calls_none(sums->calls, doc);
		return 0;
	}
	return chart_make(doc_chart(doc), &in->calls->choice, sums);
}

const struct view timeline_view = {
	.name = "timeline",
	.about = "the calls of a timeline over time, a lane each thread (--timeline)",
	.part = PART_EVENTS,
	.missing = TIMELINE_MISSING,
	.shows = {[DOC_PAGE] = SHOWS, [DOC_PAPER] = SHOWS},
	.write = timeline_write,
};
