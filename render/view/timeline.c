/*
 * timeline: the calls of a timeline over time, a lane each thread and coroutine.
 */
#include "base/mem.h"
#include "timeline/call_choice.h"
#include "timeline/chart_make.h"
#include "view/view.h"

static int timeline_write(const struct view_input *in, struct doc *doc)
{
	struct call_choice c;
	int rc;

	if (!profile_has(in->profile, PART_EVENTS)) {
		doc_text(doc, "No timeline in this profile: eprof --timeline --zone PATTERN "
			      "captures one.");
		return 0;
	}
	rc = call_choice_init(&c, in->profile, in->selection);
	if (!rc)
		doc_heading(doc, "Calls over time");
	if (!rc && !c.taken.n)
		doc_text(doc, "No calls%s.",
			 c.calls.at.n ? " are left: the selection is too narrow" : "");
	else if (!rc)
		chart_make(doc_chart(doc), &c);
	call_choice_release(&c);
	return rc;
}

const struct view timeline_view = {
	.name = "timeline",
	.about = "the calls of a timeline over time, a lane each thread (--timeline)",
	.part = PART_EVENTS,
	.shows = {[DOC_PAGE] = SHOWS, [DOC_PAPER] = SHOWS},
	.write = timeline_write,
};
