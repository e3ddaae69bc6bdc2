/* The tables of functions and of modules of a tree, and its hottest paths: see tree.h. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "query/tree.h"

/* Both tables are made at once: keys are the profile's functions, then its modules. Function 0 and
 * @none are the keys of the root and of threads, which have no row. */
struct keys {
	const struct tree *tree;
	uint32_t *module_of; /* per function: the key of its module */
	uint32_t functions, none, n;
};

/* Per key, while the tree is walked. */
struct account {
	struct top_row row;
	bool seen;
	uint32_t open; /* entries of the key on the way from the root to here */
};

static void keys_init(struct keys *k, const struct tree *t)
{
	const struct profile *p = t->profile;

	*k = (struct keys){.tree = t,
			   .functions = (uint32_t)p->functions.n,
			   .none = (uint32_t)(p->functions.n + p->modules.n)};
	k->n = k->none + 1;
	k->module_of = mem_zalloc(p->functions.n + 1, sizeof(*k->module_of));
	k->module_of[0] = k->none;
	for (size_t i = 1; i < p->functions.n; i++)
		k->module_of[i] = k->functions + p->functions.at[i].module;
}

static void enter(struct account *a, const struct tree_node *n)
{
	a->seen = true;
	a->row.self += n->self;
	a->row.self_samples += n->self_samples;
	if (a->open++)
		return;
	a->row.total += n->total;
	a->row.total_samples += n->total_samples;
}

static void enter_both(const struct keys *k, struct account *accounts, const struct tree_node *n)
{
	enter(&accounts[n->function], n);
	enter(&accounts[k->module_of[n->function]], n);
}

static void leave_both(const struct keys *k, struct account *accounts, const struct tree_node *n)
{
	accounts[n->function].open--;
	accounts[k->module_of[n->function]].open--;
}

/* From the root, each node entered before and left after all below it. */
static void walk(const struct keys *k, struct account *accounts)
{
	const struct tree_node *nodes = k->tree->nodes.at;
	uint32_t at = 0;

	for (;;) {
		enter_both(k, accounts, &nodes[at]);
		if (nodes[at].first_child) {
			at = nodes[at].first_child;
			continue;
		}
		while (at && !nodes[at].next_sibling) {
			leave_both(k, accounts, &nodes[at]);
			at = nodes[at].parent;
		}
		if (!at)
			return;
		leave_both(k, accounts, &nodes[at]);
		at = nodes[at].next_sibling;
	}
}

/* --- margins ---------------------------------------------------------------------------------- */

/* The state of put_callers(), which puts each key once per stack. */
struct ways {
	const struct keys *by;
	uint32_t *seen; /* per key: the last stack that had it */
	uint32_t way;	/* number of the stack */
};

static void put_leaf(struct spread_sums *sums, uint32_t node, void *data)
{
	const struct keys *k = data;
	const uint32_t function = k->tree->nodes.at[node].function;

	spread_put(sums, function);
	spread_put(sums, k->module_of[function]);
}

static void put_once(struct spread_sums *sums, struct ways *w, uint32_t key)
{
	if (w->seen[key] != w->way)
		spread_put(sums, key);
	w->seen[key] = w->way;
}

static void put_callers(struct spread_sums *sums, uint32_t node, void *data)
{
	struct ways *w = data;
	const struct tree_node *nodes = w->by->tree->nodes.at;

	for (w->way++; node && spread_step(sums); node = nodes[node].parent) {
		put_once(sums, w, nodes[node].function);
		put_once(sums, w, w->by->module_of[nodes[node].function]);
	}
}

/* Per key the margin of its self or of its total. */
static double *margins(const struct keys *k, bool total)
{
	_free_ uint32_t *seen = mem_zalloc(k->n, sizeof(*seen));
	struct ways ways = {.by = k, .seen = seen};

	return spread_margins(k->tree->spread,
			      &(struct spread_by){.key = k->tree->sample_node,
						  .keys = k->tree->nodes.n,
						  .groups = k->n,
						  .put = total ? put_callers : put_leaf,
						  .of = total ? (void *)&ways : (void *)k});
}

static void add_margins(const struct keys *k, struct account *accounts)
{
	_free_ double *self = margins(k, false);
	_free_ double *total = margins(k, true);

	for (uint32_t i = 0; i < k->n; i++) {
		accounts[i].row.self_margin = self[i];
		accounts[i].row.total_margin = total[i];
	}
}

/* --- the tables ------------------------------------------------------------------------------- */

static const char *function_name(const struct profile *p, uint32_t function)
{
	return profile_text(p, p->functions.at[function].name);
}

/* What rows are sorted by. */
struct order {
	const struct profile *profile;
	const char *(*name)(const struct profile *, uint32_t key);
};

static int by_self(const void *left, const void *right, void *order)
{
	const struct top_row *a = left, *b = right;
	const struct order *o = order;

	return order_down(a->self, b->self) ?:
	       order_down(a->total, b->total) ?:
	       strcmp(o->name(o->profile, a->key), o->name(o->profile, b->key)) ?:
	       order_up(a->key, b->key);
}

/* The rows of the keys from @from on, @n, that the tree has. */
static void take_rows(const struct account *accounts, uint32_t from, uint32_t n,
		      const struct order *order, struct top *out)
{
	for (uint32_t i = 0; i < n; i++) {
		if (!accounts[from + i].seen)
			continue;
		vec_push(&out->rows, accounts[from + i].row);
		out->rows.at[out->rows.n - 1].key = i;
	}
	vec_sort_by(&out->rows, by_self, order);
}

static void build(const struct tree *t, struct tree_tables *out)
{
	const struct profile *p = t->profile;
	const struct order functions = {p, function_name}, modules = {p, profile_module_name};
	_free_ struct account *accounts = NULL;
	struct keys k;

	keys_init(&k, t);
	accounts = mem_zalloc(k.n, sizeof(*accounts));
	walk(&k, accounts);
	accounts[0].seen = false;
	add_margins(&k, accounts);
	take_rows(accounts, 0, k.functions, &functions, &out->functions);
	take_rows(accounts, k.functions, k.none - k.functions, &modules, &out->modules);
	free(k.module_of);
}

static const struct tree_tables *tables_of(const struct tree *t)
{
	if (!t->tables->has_top)
		build(t, t->tables);
	t->tables->has_top = true;
	return t->tables;
}

const struct top *tree_functions(const struct tree *t)
{
	return &tables_of(t)->functions;
}

const struct top *tree_modules(const struct tree *t)
{
	return &tables_of(t)->modules;
}

/* --- paths ------------------------------------------------------------------------------------ */

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
	const uint32_t at = map_number(by_signature, own->signature, paths->all.n);
	struct tree_path *g;

	if (at == paths->all.n)
		vec_push(&paths->all, ((struct tree_path){.thread = own->thread}));
	g = &paths->all.at[at];
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
	return (order_down(x->self, y->self) ?:
		strcmp(leaf_name(t, x), leaf_name(t, y)) ?:
		order_up(x->leaf, y->leaf)) < 0;
}

/* Sorts the first @most to the front and leaves the others unordered: views show few of very many.
 */
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
