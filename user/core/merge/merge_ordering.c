#include "merge/merge_ordering.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct sort_row *sort_rows_new(size_t n)
{
	struct sort_row *rows = mem_zalloc(n + 1, sizeof(*rows));

	for (size_t i = 0; i < n; i++)
		rows[i].i = (uint32_t)i;
	return rows;
}

static int by_keys(const void *left, const void *right)
{
	const struct sort_row *a = left, *b = right;

	for (size_t i = 0; i < sizeof(a->k) / sizeof(*a->k); i++)
		if (a->k[i] != b->k[i])
			return a->k[i] < b->k[i] ? -1 : 1;
	return a->i < b->i ? -1 : a->i > b->i;
}

void sort_rows(struct sort_row *rows, size_t n)
{
	if (n)
		qsort(rows, n, sizeof(*rows), by_keys);
}

uint32_t ordered_text(struct ordering *o, uint32_t text)
{
	if (text && !o->texts[text])
		o->texts[text] = intern_add(&o->to->strings, profile_text(o->from, text));
	return o->texts[text];
}

uint32_t ordered_build(const struct ordering *o, uint32_t module)
{
	const uint32_t *build = map_get(&o->builds, o->from->modules.at[module].path);

	return build && *build != BUILDS_SEVERAL ? *build : 0;
}

uint32_t ordered_module(struct ordering *o, uint32_t module)
{
	if (!module)
		return 0;
	return profile_module(o->to, profile_text(o->from, o->from->modules.at[module].path),
			      profile_text(o->from, ordered_build(o, module)));
}

/* Rows by level, and where each level begins in them; *@levels of them. */
static size_t *sort_levels(const struct tree_shape *t, struct sort_row *rows, size_t *levels)
{
	_free_ uint32_t *depth = mem_zalloc(t->n + 1, sizeof(*depth));
	size_t *start, deepest = 0;

	for (size_t i = 1; i < t->n; i++) {
		depth[i] = depth[t->parent[i]] + 1;
		deepest = depth[i] > deepest ? depth[i] : deepest;
	}
	start = mem_zalloc(deepest + 3, sizeof(*start));
	for (size_t i = 0; i < t->n; i++)
		start[depth[i] + 2]++;
	for (size_t d = 2; d < deepest + 3; d++)
		start[d] += start[d - 1];
	for (size_t i = 0; i < t->n; i++)
		rows[start[depth[i] + 1]++].i = (uint32_t)i;
	*levels = deepest + 1;
	return start;
}

uint32_t *order_tree(struct ordering *o, const struct tree_shape *t,
		     uint32_t (*add)(struct ordering *, uint32_t, uint32_t, uint32_t))
{
	uint32_t *number = mem_zalloc(t->n + 1, sizeof(*number));
	_free_ struct sort_row *rows = sort_rows_new(t->n);
	size_t levels;
	_free_ size_t *start = sort_levels(t, rows, &levels);

	for (size_t d = 1; d < levels; d++) {
		struct sort_row *level = rows + start[d];
		const size_t n = start[d + 1] - start[d];

		for (size_t i = 0; i < n; i++)
			level[i].k[0] = (uint64_t)number[t->parent[level[i].i]] << 32 |
					t->label[level[i].i];
		sort_rows(level, n);
		for (size_t i = 0; i < n; i++)
			number[level[i].i] = add(o, level[i].i, (uint32_t)(level[i].k[0] >> 32),
						 (uint32_t)level[i].k[0]);
	}
	return number;
}
