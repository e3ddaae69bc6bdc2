/* flame: the flame graph of the selection. */
#include "view/base.h"

static int flame_write(const struct view_input *in, struct doc *doc)
{
	_free_ char *base = base_text(in);
	/* A picture shows nothing but its caption. */
	_free_ char *idle = in->tree->samples ? NULL : base_idle_text(in);
	const char *of = base_is_cpu_time(in) ? "; on CPU " : "; ";
	_free_ char *caption =
		mem_printf("100 %% = %s%s%s", base, idle ? of : "", idle ? idle : "");

	if (base_says_no_samples(in, doc))
		return 0;
	doc_heading(doc, "Flame graph");
	doc_flame(doc, caption, in->tree);
	return 0;
}

const struct view flame_view = {
	.name = "flame",
	.about = "flame graph of all stacks",
	.part = PART_SAMPLES,
	.by_metric = true,
	.shows = {[DOC_PAGE] = SHOWS, [DOC_PAPER] = SHOWS, [DOC_PICTURE] = SHOWS},
	.write = flame_write,
};
