/* The table of functions of a tree: see tree.h. */
#include <stdlib.h>
#include <string.h>

#include "model/tree.h"

/* Per function, while the tree is walked. */
struct account {
	struct top_row row;
	uint32_t open; /* entries of the function on the way from the root to here */
};

static void enter(struct account *a, const struct tree_node *n)
{
	a->row.function = n->function;
	a->row.self += n->self;
	a->row.self_samples += n->self_samples;
	if (a->open++)
		return;
	a->row.total += n->total;
	a->row.total_samples += n->total_samples;
}

/* From the root, each node entered before and left after all below it. */
static void walk(const struct tree *t, struct account *accounts)
{
	uint32_t at = 0;

	for (;;) {
		const struct tree_node *n = &t->nodes.at[at];

		enter(&accounts[n->function], n);
		if (n->first_child) {
			at = n->first_child;
			continue;
		}
		while (at && !t->nodes.at[at].next_sibling) {
			accounts[t->nodes.at[at].function].open--;
			at = t->nodes.at[at].parent;
		}
		if (!at)
			return;
		accounts[t->nodes.at[at].function].open--;
		at = t->nodes.at[at].next_sibling;
	}
}

static int by_self(const void *left, const void *right, void *profile)
{
	const struct top_row *a = left, *b = right;
	const struct profile *p = profile;
	int names;

	if (a->self != b->self)
		return a->self < b->self ? 1 : -1;
	if (a->total != b->total)
		return a->total < b->total ? 1 : -1;
	names = strcmp(profile_text(p, p->functions.at[a->function].name),
		       profile_text(p, p->functions.at[b->function].name));
	return names ? names : a->function < b->function ? -1 : a->function > b->function;
}

void top_build(const struct tree *t, struct top *out)
{
	const struct profile *p = t->profile;
	_free_ struct account *accounts = mem_zalloc(p->functions.n, sizeof(*accounts));

	*out = (struct top){0};
	walk(t, accounts);
	for (size_t i = 1; i < p->functions.n; i++)
		if (accounts[i].row.function)
			vec_push(&out->rows, accounts[i].row);
	if (out->rows.n)
		qsort_r(out->rows.at, out->rows.n, sizeof(*out->rows.at), by_self, (void *)p);
}

void top_release(struct top *top)
{
	vec_release(&top->rows);
}
