/* zone-flame: the call tree of zones as a flame graph of exact time. */
#include "view/base.h"
#include "view/zone_words.h"

/* Freed by the caller. */
static char *how_net(const struct view_input *in)
{
	char margin[UNITS_BUF];

	if (!zone_is_netted(in->profile))
		return mem_strdup("");
	if (!in->zone_tree->net)
		return mem_strdup(", as measured: the probes' cost would leave nothing");
	return mem_printf(", less what the probes added (±%s)",
			  units_ns(margin, sizeof(margin), (double)in->zone_tree->margin_ns));
}

static int zone_flame_write(const struct view_input *in, struct doc *doc)
{
	const struct tree *t = in->zone_tree;
	_free_ char *clock = zone_clock(in->profile);
	_free_ char *unheard = zone_unheard(in->selection, true);
	_free_ char *net = how_net(in);
	_free_ char *caption = NULL;
	char total[UNITS_BUF], calls[UNITS_BUF];

	if (zone_says_none(in, doc))
		return 0;
	units_ns(total, sizeof(total), (double)t->nodes.at[0].total);
	units_count(calls, sizeof(calls), t->samples);
	/* All in the caption: a picture shows nothing beside its flame. */
	caption = mem_printf("100 %% = %s in zones, %s call%s of all threads; %s%s%s%s%s", total,
			     calls, t->samples == 1 ? "" : "s", clock, net,
			     in->profile->zones.n ? "" : "; no zone was called: " ZONE_NONE_WHY,
			     unheard ? "; " : "", unheard ? unheard : "");
	if (in->profile->zones.n && in->profile->zone_edges.n < 2) {
		doc_text(doc,
			 "No flame graph of zones: the profile does not tell who called whom.");
		return 0;
	}
	doc_heading(doc, "Zone flame graph");
	doc_flame(doc, caption, t);
	return 0;
}

const struct view zone_flame_view = {
	.name = "zone-flame",
	.about = "flame graph of zones: exact time, not samples",
	.part = PART_ZONES,
	.shows = {[DOC_PAGE] = SHOWS, [DOC_PAPER] = SHOWS, [DOC_PICTURE] = SHOWS_ELSE},
	.write = zone_flame_write,
};
