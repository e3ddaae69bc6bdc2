#include "paint/calltree.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "model/waits.h"
#include "query/startup.h"

/* The order of siblings as text has them: heaviest first, or by name. */
struct siblings {
	uint32_t *first, *next; /* per node; 0: none */
};

struct walk {
	const struct tree *tree;
	struct siblings order;
	int64_t least;
	uint32_t deepest;
	VEC(char) more; /* per level: whether a sibling follows below */
};

static int by_total(const void *left, const void *right, void *tree)
{
	const struct tree *t = tree;
	const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

	return order_down(t->nodes.at[a].total, t->nodes.at[b].total);
}

static void siblings_init(struct siblings *s, const struct tree *t)
{
	VEC(uint32_t) all = {0};

	s->first = mem_zalloc(t->nodes.n + 1, sizeof(*s->first));
	s->next = mem_zalloc(t->nodes.n + 1, sizeof(*s->next));
	for (uint32_t i = 0; i < t->nodes.n; i++) {
		all.n = 0;
		for (uint32_t k = t->nodes.at[i].first_child; k; k = t->nodes.at[k].next_sibling)
			vec_push(&all, k);
		if (!t->by_name)
			vec_sort_by(&all, by_total, t);
		for (size_t k = all.n; k--;) {
			s->next[all.at[k]] = s->first[i];
			s->first[i] = all.at[k];
		}
	}
	vec_release(&all);
}

/* tree_next() in that order. */
static uint32_t next_node(const struct walk *w, uint32_t node, bool enter)
{
	if (enter && w->order.first[node])
		return w->order.first[node];
	while (node && !w->order.next[node])
		node = w->tree->nodes.at[node].parent;
	return w->order.next[node];
}

static bool is_shown(const struct walk *w, uint32_t node)
{
	const struct tree_node *n = &w->tree->nodes.at[node];

	return n->total > 0 && n->total >= w->least;
}

/* The next shown one of @node and its later siblings; 0: none. */
static uint32_t shown_from(const struct walk *w, uint32_t node)
{
	while (node && !is_shown(w, node))
		node = w->order.next[node];
	return node;
}

static bool is_alone(const struct walk *w, uint32_t node)
{
	const struct tree_node *nodes = w->tree->nodes.at;
	uint32_t first = shown_from(w, w->order.first[nodes[node].parent]);

	return first == node && !shown_from(w, w->order.next[node]);
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
	w->more.at[level] = shown_from(w, w->order.next[node]) != 0;
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
	siblings_init(&w.order, t);
	for (uint32_t i = next_node(&w, 0, true); i; i = next_node(&w, i, shown)) {
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
	free(w.order.first);
	free(w.order.next);
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

/* Items that the first waker takes of a long path. */
#define WAKER_ITEMS 3

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

static bool is_startup(const struct tree *t, uint32_t node)
{
	return startup_of(t->profile, t->nodes.at[node].function) != STARTUP_NOT;
}

/* A gap of @frames, or more of the gap that is there last. */
static void add_gap(path_items *items, uint32_t frames)
{
	if (items->n && !items->at[items->n - 1].node)
		items->at[items->n - 1].times += frames;
	else
		vec_push(items, ((struct path_item){.times = frames}));
}

/* Makes each run of such frames one item, but for the leaf. */
static void cut_startup(const struct tree *t, path_items *items)
{
	path_items kept = {0};

	for (size_t i = 0; i < items->n; i++)
		if (i + 1 < items->n && is_startup(t, items->at[i].node))
			add_gap(&kept, items->at[i].times);
		else
			vec_push(&kept, items->at[i]);
	vec_release(items);
	*items = kept;
}

/* Where the chain of wakers begins, with the one that ended the wait; the number of items: there is
 * none. */
static size_t first_waker(const struct tree *t, const path_items *items)
{
	for (size_t i = 0; i < items->n; i++)
		if (items->at[i].node &&
		    !strcmp(profile_text(t->profile, t->nodes.at[items->at[i].node].name),
			    MARK_WOKEN_BY))
			return i;
	return items->n;
}

/* Makes gaps of the items from @head on and below @tail but for two from @waker on. */
static void cut_middle(path_items *items, size_t head, size_t waker, size_t tail)
{
	size_t n = 0;

	for (size_t i = 0; i < items->n; i++) {
		const struct path_item item = items->at[i];

		if (i < head || i >= tail || i == waker || i == waker + 1)
			items->at[n++] = item;
		else if (n > head && !items->at[n - 1].node)
			items->at[n - 1].times += item.times;
		else
			items->at[n++] = (struct path_item){.times = item.times};
	}
	items->n = n;
}

void path_layout(const struct tree *t, const struct doc_path *path, size_t max, path_items *out)
{
	size_t head = max / 3, tail = max - head - 1, waker;

	fold_runs(t, path, out);
	if (out->n > max)
		cut_startup(t, out);
	if (out->n <= max)
		return;
	waker = first_waker(t, out);
	/* With another gap before it, and its name after it. */
	if (waker >= head && waker + 1 < out->n - tail && tail > WAKER_ITEMS)
		tail -= WAKER_ITEMS;
	else
		waker = out->n;
	cut_middle(out, head, waker, out->n - tail);
}

void path_end(const struct tree *t, const struct doc_path *path, size_t max, path_items *out)
{
	const bool whole = path->nodes.n <= max;
	size_t named = 0;

	for (size_t i = path->nodes.n; i--;) {
		const uint32_t node = path->nodes.at[i];

		if (!whole && (named == max || (named && is_startup(t, node)))) {
			add_gap(out, 1);
			continue;
		}
		vec_push(out, ((struct path_item){.node = node, .times = 1}));
		named++;
	}
	for (size_t i = 0; i < out->n / 2; i++) {
		const struct path_item item = out->at[i];

		out->at[i] = out->at[out->n - 1 - i];
		out->at[out->n - 1 - i] = item;
	}
}

char *path_item_text(const struct tree *t, const struct path_item *item)
{
	const char *name = profile_text(t->profile, t->nodes.at[item->node].name);
	_free_ char *clean = NULL;

	if (!item->node)
		return mem_printf("… %u frame%s …", item->times, item->times == 1 ? "" : "s");
	clean = str_clean(name, strlen(name));
	if (item->times > 1)
		return mem_printf("%s ×%u", clean, item->times);
	return mem_strdup(clean);
}
