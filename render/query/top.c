/* The tables of functions and of modules of a tree: see tree.h. */
#include <stdlib.h>
#include <string.h>

#include "query/tree.h"

/* Both tables are made at once: keys are the profile's functions, then its modules. The root and
 * threads have keys as well, which make no row: function 0 and @none. */
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

/* What the sums of totals are found by. */
struct ways {
	const struct keys *by;
	uint32_t *seen; /* per key: on which way up it was last */
	uint32_t way;
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
	int names;

	if (a->self != b->self)
		return a->self < b->self ? 1 : -1;
	if (a->total != b->total)
		return a->total < b->total ? 1 : -1;
	names = strcmp(o->name(o->profile, a->key), o->name(o->profile, b->key));
	return names ? names : a->key < b->key ? -1 : a->key > b->key;
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
	if (out->rows.n)
		qsort_r(out->rows.at, out->rows.n, sizeof(*out->rows.at), by_self, (void *)order);
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
