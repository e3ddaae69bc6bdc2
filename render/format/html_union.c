#include "format/html_union.h"

bool html_union_can(const struct tree *t)
{
	return !t->of_zones && t->sample_node;
}

bool html_union_add(struct html_union *s, const struct tree *t)
{
	if (s->n == HTML_METRICS_MOST || (s->n && s->trees[0]->profile != t->profile))
		return false;
	s->trees[s->n++] = t;
	return true;
}

/* Adds the nodes of one metric's tree to those of all. @known: parent in all << 32 | function, on
 * the first level name, → node. */
static void unite(struct html_union *s, size_t metric, struct map *known)
{
	const struct tree *t = s->trees[metric];
	uint32_t *of = s->of[metric] = mem_zalloc(t->nodes.n, sizeof(*of));

	for (uint32_t i = 1; i < t->nodes.n; i++) {
		const struct tree_node *n = &t->nodes.at[i];
		const uint32_t parent = of[n->parent];
		const uint64_t key = (uint64_t)parent << 32 | (n->function ? n->function : n->name);
		struct tree_node *mine;
		bool fresh;
		uint32_t *node = map_put(known, key, &fresh);

		if (fresh) {
			*node = tree_add(s->owned, parent, n->function, n->name);
			s->owned->nodes.at[*node].inlined = n->inlined;
		}
		mine = &s->owned->nodes.at[*node];
		mine->inlined &= n->inlined;
		of[i] = *node;
	}
}

void html_union_make(struct html_union *s)
{
	struct map known = {0};

	s->all = s->trees[0];
	if (s->n == 1)
		return;
	s->owned = tree_new(s->trees[0]->profile);
	s->all = s->owned;
	for (size_t i = 0; i < s->n; i++)
		unite(s, i, &known);
	map_release(&known);
	tree_finish(s->owned);
}

uint32_t html_union_place(const struct html_union *s, size_t metric, uint32_t node)
{
	return s->place[s->of[metric] ? s->of[metric][node] : node];
}

void html_union_release(struct html_union *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->of[i]);
	tree_free(s->owned);
	free(s->place);
	*s = (struct html_union){0};
}
