#include "paint/calltree.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"

struct walk {
	const struct tree *tree;
	int64_t least;
	uint32_t deepest;
	VEC(char) more; /* per level: whether a sibling follows below */
};

static bool is_shown(const struct walk *w, uint32_t node)
{
	const struct tree_node *n = &w->tree->nodes.at[node];

	return n->total > 0 && n->total >= w->least;
}

/* The next shown one of @node and its later siblings; 0: none. */
static uint32_t shown_from(const struct walk *w, uint32_t node)
{
	while (node && !is_shown(w, node))
		node = w->tree->nodes.at[node].next_sibling;
	return node;
}

static bool is_alone(const struct walk *w, uint32_t node)
{
	const struct tree_node *nodes = w->tree->nodes.at;
	uint32_t first = shown_from(w, nodes[nodes[node].parent].first_child);

	return first == node && !shown_from(w, nodes[node].next_sibling);
}

static char *guides_of(const struct walk *w, uint32_t level, bool alone)
{
	uint32_t from = level > w->deepest ? level - w->deepest : 0;
	struct str s = {0};

	if (from)
		str_add(&s, "… ");
	for (uint32_t i = from; i < level; i++) {
		const bool own = !alone && i + 1 == level;

		str_add(&s, own ? w->more.at[i] ? "├─ " : "└─ " : w->more.at[i] ? "│  " : "   ");
	}
	return str_steal(&s);
}

/* The level of @node, whose parent is on @level. */
static uint32_t enter(struct walk *w, uint32_t node, uint32_t level, bool alone)
{
	if (alone)
		return level;
	while (w->more.n <= level)
		vec_push(&w->more, 0);
	w->more.at[level] = shown_from(w, w->tree->nodes.at[node].next_sibling) != 0;
	return level + 1;
}

/* Whether @node only goes on with what the last line says. */
static bool is_again(const struct tree *t, const struct calltree *c, uint32_t node)
{
	const struct calltree_line *last = c->lines.n ? &c->lines.at[c->lines.n - 1] : NULL;
	const struct tree_node *n = &t->nodes.at[node];

	return last && last->node == n->parent && n->function &&
	       t->nodes.at[last->node].function == n->function &&
	       t->nodes.at[last->node].total == n->total;
}

void calltree_layout(const struct tree *t, double least, uint32_t deepest, struct calltree *out)
{
	struct walk w = {.tree = t, .deepest = deepest};
	_free_ uint32_t *level = mem_zalloc(t->nodes.n, sizeof(*level));
	bool shown = true;

	*out = (struct calltree){.branches = 0};
	w.least = (int64_t)((double)t->nodes.at[0].total * least / 100);
	for (uint32_t i = tree_next(t, 0, true); i; i = tree_next(t, i, shown)) {
		bool alone;

		shown = is_shown(&w, i);
		out->branches += !shown;
		if (!shown)
			continue;
		if (is_again(t, out, i)) {
			struct calltree_line *last = &out->lines.at[out->lines.n - 1];

			last->node = i;
			last->times++;
			level[i] = last->level;
			continue;
		}
		alone = is_alone(&w, i);
		level[i] = enter(&w, i, level[t->nodes.at[i].parent], alone);
		vec_push(&out->lines,
			 ((struct calltree_line){.node = i,
						 .times = 1,
						 .level = level[i],
						 .guides = guides_of(&w, level[i], alone)}));
	}
	vec_release(&w.more);
}

void calltree_release(struct calltree *c)
{
	for (size_t i = 0; i < c->lines.n; i++)
		free(c->lines.at[i].guides);
	vec_release(&c->lines);
}

char *calltree_name(const struct tree *t, const struct calltree_line *line)
{
	const char *name = profile_text(t->profile, t->nodes.at[line->node].name);
	_free_ char *clean = str_clean(name, strlen(name));

	if (line->times > 1)
		return mem_printf("%s ×%u", clean, line->times);
	return mem_strdup(clean);
}

char *calltree_note(const struct calltree *c, double least)
{
	if (!c->branches)
		return mem_strdup("nothing is left out");
	return mem_printf("branches below %g %% are left out: %s", least, count_text(c->branches));
}

static void fold_runs(const struct tree *t, const struct doc_path *path, path_items *out)
{
	uint32_t last = 0;

	for (size_t i = 0; i < path->nodes.n; i++) {
		uint32_t node = path->nodes.at[i], function = t->nodes.at[node].function;

		if (out->n && function && function == last)
			out->at[out->n - 1].times++;
		else
			vec_push(out, ((struct path_item){.node = node, .times = 1}));
		last = function;
	}
}

void path_layout(const struct tree *t, const struct doc_path *path, size_t max, path_items *out)
{
	size_t head = max / 3, tail = max - head - 1, gap = 0;

	fold_runs(t, path, out);
	if (out->n <= max)
		return;
	for (size_t i = head; i < out->n - tail; i++)
		gap += out->at[i].times;
	out->at[head] = (struct path_item){.times = (uint32_t)gap};
	memmove(&out->at[head + 1], &out->at[out->n - tail], tail * sizeof(out->at[0]));
	out->n = max;
}

char *path_item_text(const struct tree *t, const struct path_item *item)
{
	const char *name = profile_text(t->profile, t->nodes.at[item->node].name);
	_free_ char *clean = NULL;

	if (!item->node)
		return mem_printf("… %u frames …", item->times);
	clean = str_clean(name, strlen(name));
	if (item->times > 1)
		return mem_printf("%s ×%u", clean, item->times);
	return mem_strdup(clean);
}
