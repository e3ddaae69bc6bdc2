/* tree_paths(): see tree.h. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "query/tree.h"

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

static void add_stack(struct tree_paths *paths, struct map *by_signature, const struct lineage *all,
		      uint32_t i, int64_t self)
{
	const struct lineage *own = &all[all[i].owner];
	bool fresh;
	uint32_t *at = map_put(by_signature, own->signature, &fresh);
	struct tree_path *g;

	if (fresh) {
		*at = (uint32_t)paths->all.n;
		vec_push(&paths->all, ((struct tree_path){.thread = own->thread}));
	}
	g = &paths->all.at[*at];
	g->self += self;
	g->threads |= g->thread != own->thread;
	if (self > g->heaviest) {
		g->heaviest = self;
		g->leaf = own->owner;
	}
}

static const char *leaf_name(const struct tree *t, const struct tree_path *path)
{
	return profile_text(t->profile, t->nodes.at[path->leaf].name);
}

static bool is_before(const struct tree *t, const struct tree_path *x, const struct tree_path *y)
{
	int names;

	if (x->self != y->self)
		return x->self > y->self;
	names = strcmp(leaf_name(t, x), leaf_name(t, y));
	return names ? names < 0 : x->leaf < y->leaf;
}

/* Puts the first @most in order, and leaves the others as they come: readers look at few of very
 * many. */
static void put_in_order(const struct tree *t, struct tree_paths *paths, size_t most)
{
	struct tree_path *all = paths->all.at;
	size_t n = 0;

	for (size_t i = 0; i < paths->all.n; i++) {
		const struct tree_path path = all[i];
		size_t at = n;

		while (at && is_before(t, &path, &all[at - 1]))
			at--;
		if (at == most)
			continue;
		all[i] = all[n - (n == most)];
		n += n < most;
		memmove(&all[at + 1], &all[at], (n - 1 - at) * sizeof(*all));
		all[at] = path;
	}
	paths->in_order = n;
}

static void group_stacks(const struct tree *t, struct tree_paths *paths)
{
	_free_ struct lineage *all = mem_zalloc(t->nodes.n, sizeof(*all));
	struct map by_signature = {0};

	for (uint32_t i = 0; i < t->nodes.n; i++) {
		all[i] = lineage_of(t, all, i);
		if (t->nodes.at[i].self > 0)
			add_stack(paths, &by_signature, all, i, t->nodes.at[i].self);
	}
	map_release(&by_signature);
}

const struct tree_paths *tree_paths(const struct tree *t, size_t most)
{
	struct tree_paths *paths = &t->tables->paths;

	if (!paths->made)
		group_stacks(t, paths);
	paths->made = true;
	if (paths->in_order < most && paths->in_order < paths->all.n)
		put_in_order(t, paths, most);
	return paths;
}
