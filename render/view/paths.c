/*
 * paths: the stacks in which most samples ended. Stacks that a reader would call the same are
 * one path: those of several threads, those that differ in the depth of a direct recursion, and
 * those whose leaf is inlined into the same function.
 */
#include "view/paths.h"

#include "view/base.h"

#include "base/hash.h"

#define MAX_PATHS   8
#define MIN_PERCENT 0.5

struct group {
	int64_t self;	  /* of all its stacks */
	int64_t heaviest; /* self of the stack that stands for them */
	uint32_t leaf;	  /* that stack's leaf, the function that holds it when it is inlined */
	uint32_t thread;  /* node of the first level */
	bool threads;	  /* under several of those */
};
typedef VEC(struct group) path_groups;

/* What a node inherits from its parent. */
struct lineage {
	uint64_t signature; /* of the functions from the root, runs of one function as one */
	uint32_t thread;    /* node of the first level that it stands under */
	uint32_t owner;	    /* itself, or the function that it is inlined into */
};

static struct lineage lineage_of(const struct tree *t, const struct lineage *all, uint32_t i)
{
	const struct tree_node *n = &t->nodes.at[i], *parent = &t->nodes.at[n->parent];
	struct lineage up;

	if (n->depth < 2)
		return (struct lineage){.thread = i, .owner = i};
	up = all[n->parent];
	if (n->function != parent->function)
		up.signature = hash_two(up.signature, n->function);
	if (!n->inlined || parent->depth < 2)
		up.owner = i;
	return up;
}

static void add_stack(path_groups *groups, struct map *by_signature, const struct lineage *all,
		      uint32_t i, int64_t self)
{
	const struct lineage *own = &all[all[i].owner];
	bool fresh;
	uint32_t *at = map_put(by_signature, own->signature, &fresh);
	struct group *g;

	if (fresh) {
		*at = (uint32_t)groups->n;
		vec_push(groups, ((struct group){.thread = own->thread}));
	}
	g = &groups->at[*at];
	g->self += self;
	g->threads |= g->thread != own->thread;
	if (self > g->heaviest) {
		g->heaviest = self;
		g->leaf = own->owner;
	}
}

static int by_self(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	if (x->self != y->self)
		return x->self < y->self ? 1 : -1;
	return (x->leaf > y->leaf) - (x->leaf < y->leaf);
}

static void group_stacks(const struct tree *t, path_groups *groups)
{
	_free_ struct lineage *all = mem_zalloc(t->nodes.n, sizeof(*all));
	struct map by_signature = {0};

	for (uint32_t i = 0; i < t->nodes.n; i++) {
		all[i] = lineage_of(t, all, i);
		if (t->nodes.at[i].self > 0)
			add_stack(groups, &by_signature, all, i, t->nodes.at[i].self);
	}
	map_release(&by_signature);
	if (groups->n)
		qsort(groups->at, groups->n, sizeof(groups->at[0]), by_self);
}

/* Root first; without the thread's name where the path stands for several threads. */
static void add_path(const struct view_input *in, struct doc_block *b, const struct group *g)
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
	path_groups groups = {0};
	int64_t covered = 0;
	size_t shown = 0;
	struct doc_block *b;

	group_stacks(in->tree, &groups);
	for (; shown < groups.n && shown < most; shown++) {
		if (base_percent(in, groups.at[shown].self) < MIN_PERCENT)
			break;
		covered += groups.at[shown].self;
	}
	caption = mem_printf("%zu of %zu paths, together %.0f %% of %s; leaf last", shown, groups.n,
			     base_percent(in, covered), base);
	doc_heading(doc, "%s", heading);
	b = doc_paths(doc, caption, in->tree);
	for (size_t i = 0; i < shown; i++)
		add_path(in, b, &groups.at[i]);
	vec_release(&groups);
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
