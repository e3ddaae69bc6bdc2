/* regression: what the capture found against its baseline, as the profile keeps it. */
#include "view/base.h"

#include "compare/kept.h"
#include "view/comparison.h"

static bool is_compared(const struct profile *p)
{
	return kept_is_there(p) && !kept_none(p);
}

static int regression_write(const struct view_input *in, struct doc *doc)
{
	const char *none = kept_none(in->profile);
	struct comparison c = {.gate = 0};

	doc_heading(doc, "Since the baseline");
	if (!kept_is_there(in->profile))
		doc_text(doc, "This profile was compared with nothing when it was captured: eprof "
			      "does that with --store or --baseline.");
	else if (kept_read(in->profile, &c))
		comparison_write(&c, doc, ROWS_FOLDED);
	else
		doc_text(doc, "No baseline: %s.", none ? none : "its runs are not in the profile");
	comparison_release(&c);
	return 0;
}

const struct view regression_view = {
	.name = "regression",
	.about = "what changed since the baseline, as found when the capture ended",
	.has = is_compared,
	.shows = {IN_REPORTS},
	.write = regression_write,
};
