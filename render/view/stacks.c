/* flame, tree, paths, zone-flame: the stacks of the selection. */
#include "view/base.h"
#include "view/zone_words.h"

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
	.shows = {[DOC_PAGE] = SHOWS_FIRST, [DOC_PAPER] = SHOWS, [DOC_PICTURE] = SHOWS},
	.write = flame_write,
};

static int tree_write(const struct view_input *in, struct doc *doc)
{
	_free_ char *caption = base_caption(in);

	if (base_says_no_samples(in, doc))
		return 0;
	doc_heading(doc, "Call tree");
	doc_tree(doc, caption, in->tree);
	return 0;
}

const struct view tree_view = {
	.name = "tree",
	.about = "the call tree, a function a line; --percent-limit cuts it",
	.part = PART_SAMPLES,
	.by_metric = true,
	.write = tree_write,
};

#define MAX_PATHS   8
#define MIN_PERCENT 0.5

/* Root first; without the thread's name where the path stands for several threads. */
static void add_path(const struct view_input *in, struct doc_block *b, const struct tree_path *g)
{
	const struct tree_node *nodes = in->tree->nodes.at;
	struct doc_path *path = vec_add(&b->paths);
	uint32_t first = g->threads && nodes[g->leaf].depth > 1 ? 2 : 1;
	char share[UNITS_BUF];

	path->percent = base_percent(in, g->self);
	units_percent(share, sizeof(share), (double)g->self, (double)nodes[0].total);
	path->share = mem_strdup(share);
	for (uint32_t i = g->leaf; nodes[i].depth >= first; i = nodes[i].parent)
		vec_push(&path->nodes, i);
	for (size_t i = 0, k = path->nodes.n; i + 1 < k--; i++) {
		uint32_t swap = path->nodes.at[i];

		path->nodes.at[i] = path->nodes.at[k];
		path->nodes.at[k] = swap;
	}
}

void paths_add(const struct view_input *in, struct doc *doc, const char *heading, size_t most)
{
	_free_ char *base = base_text(in);
	_free_ char *caption = NULL;
	char of[UNITS_BUF], together[UNITS_BUF];
	const struct tree_paths *paths = tree_paths(in->tree, most);
	int64_t covered = 0;
	size_t shown = 0;
	struct doc_block *b;

	/* The first in any case. */
	for (; shown < paths->all.n && shown < most; shown++) {
		if (shown && base_percent(in, paths->all.at[shown].self) < MIN_PERCENT)
			break;
		covered += paths->all.at[shown].self;
	}
	units_count(of, sizeof(of), (int64_t)paths->all.n);
	units_percent(together, sizeof(together), base_percent(in, covered), 100);
	caption = mem_printf("%zu of %s paths, together %s of %s; leaf last", shown, of, together,
			     base);
	doc_heading(doc, "%s", heading);
	b = doc_paths(doc, caption, in->tree);
	for (size_t i = 0; i < shown; i++)
		add_path(in, b, &paths->all.at[i]);
}

static int paths_write(const struct view_input *in, struct doc *doc)
{
	if (!base_says_no_samples(in, doc))
		paths_add(in, doc, "Hottest paths", MAX_PATHS);
	return 0;
}

const struct view paths_view = {
	.name = "paths",
	.about = "the stacks in which most samples ended",
	.part = PART_SAMPLES,
	.by_metric = true,
	.shows = {IN_REPORTS},
	.write = paths_write,
};

/* Freed by the caller. */
static char *how_net(const struct view_input *in)
{
	if (!zone_is_netted(in->profile))
		return mem_strdup("");
	if (!in->zone_tree->net)
		return mem_strdup(", as measured: the probes' cost would leave nothing");
	return mem_printf(", less what the probes added (±%s)",
			  ns_text((double)in->zone_tree->margin_ns));
}

static int zone_flame_write(const struct view_input *in, struct doc *doc)
{
	const struct tree *t = in->zone_tree;
	_free_ char *clock = zone_clock(in->profile);
	_free_ char *ignored = zone_ignored_options(in->selection, true);
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
			     ignored ? "; " : "", ignored ? ignored : "");
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
	.shows = {[DOC_PAGE] = SHOWS_FIRST, [DOC_PAPER] = SHOWS, [DOC_PICTURE] = SHOWS_ELSE},
	.write = zone_flame_write,
};
