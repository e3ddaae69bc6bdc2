/* paths: the stacks in which most samples ended: see tree_paths(). */
#include "view/paths.h"

#include "view/base.h"

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
