#include "query/tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "query/filter.h"

/* The state of tree_build(). It takes samples thread name by thread name, so that one array over
 * the profile's nodes serves all names. */
struct build {
	struct tree *tree;
	const struct filter *filter;
	/* Of children behind the first LISTED: parent << 32 | function → tree node. */
	struct map children;
	uint32_t *place;    /* per profile node: its tree node, if stamp says so */
	uint32_t *stamp;    /* per profile node: tree node of the thread name it was placed for */
	VEC(uint32_t) path; /* scratch of place_node() */
};

uint32_t tree_add(struct tree *t, uint32_t parent, uint32_t function, uint32_t name)
{
	struct tree_node *n = vec_add(&t->nodes);

	n->parent = parent;
	n->function = function;
	n->name = name;
	n->depth = t->nodes.n > 1 ? t->nodes.at[parent].depth + 1 : 0;
	if (n->depth > t->max_depth)
		t->max_depth = n->depth;
	return t->nodes.n - 1;
}

/* So many children of a node are in its list, unordered until tree_finish(). Most nodes have one:
 * to find it there is cheaper than in a map that is too large for the processor's caches. */
#define LISTED 8

/* The child of @parent for @function; 0: there is none yet, and it is the parent's child *@nth. */
static uint32_t listed_child(const struct tree *t, uint32_t parent, uint32_t function, size_t *nth)
{
	uint32_t child = t->nodes.at[parent].first_child;

	*nth = 0;
	for (; child && t->nodes.at[child].function != function; ++*nth)
		child = t->nodes.at[child].next_sibling;
	return child;
}

static uint32_t add_child(struct build *b, uint32_t parent, const struct frame *frame)
{
	struct tree *t = b->tree;
	const uint32_t name = t->profile->functions.at[frame->function].name;
	const uint32_t child = tree_add(t, parent, frame->function, name);

	t->nodes.at[child].inlined = frame->inlined;
	return child;
}

/* The child of @parent for @frame, which is made where there is none. */
static uint32_t child_of(struct build *b, uint32_t parent, const struct frame *frame)
{
	size_t nth;
	uint32_t child = listed_child(b->tree, parent, frame->function, &nth), *in_map;
	bool fresh;

	if (child)
		return child;
	if (nth < LISTED) {
		child = add_child(b, parent, frame);
		b->tree->nodes.at[child].next_sibling = b->tree->nodes.at[parent].first_child;
		b->tree->nodes.at[parent].first_child = child;
		return child;
	}
	in_map = map_put(&b->children, (uint64_t)parent << 32 | frame->function, &fresh);
	if (fresh)
		*in_map = add_child(b, parent, frame);
	return *in_map;
}

/* The tree node for one frame below @parent. A frame without a function, or of one to omit, adds
 * no level. */
static uint32_t place_frame(struct build *b, uint32_t parent, const struct frame *frame)
{
	const uint32_t function = frame->function;
	uint32_t child;

	if (!function || (b->filter->omit && b->filter->omit[function]))
		return parent;
	child = child_of(b, parent, frame);
	b->tree->nodes.at[child].inlined &= frame->inlined;
	return child;
}

/* The tree node of profile node @node below the thread name's tree node @top: up to the first
 * ancestor that has its place already, then down again. */
static uint32_t place_node(struct build *b, uint32_t top, uint32_t node)
{
	const struct profile *p = b->tree->profile;
	uint32_t at;

	b->path.n = 0;
	for (; node && b->stamp[node] != top; node = p->nodes.at[node].parent)
		vec_push(&b->path, node);
	at = node ? b->place[node] : top;
	while (b->path.n) {
		node = b->path.at[--b->path.n];
		at = place_frame(b, at, &p->frames.at[p->nodes.at[node].frame]);
		b->stamp[node] = top;
		b->place[node] = at;
	}
	return at;
}

/* The sample rows in order of their thread's name, then of their node: *@rows, and where each
 * name's rows end in *@ends. *@names lists the names' strings. */
struct by_name {
	VEC(uint32_t) names;
	uint32_t *ends;
	uint32_t *rows;
};

static void by_name_init(struct by_name *by, const struct profile *p)
{
	const struct samples *s = &p->samples;
	_free_ uint32_t *name_of = mem_zalloc(p->threads.n + 1, sizeof(*name_of));
	/* Nodes that were made one after the other lie close together, as do those above them:
	 * their places are found in what the processor has at hand. */
	_free_ uint32_t *by_node = vec_order(&p->samples, node, p->nodes.n, NULL);
	struct map seen = {0};

	for (size_t i = 0; i < p->threads.n; i++) {
		const uint32_t name = p->threads.at[i].name;

		name_of[i] = map_number(&seen, name, by->names.n);
		if (name_of[i] == by->names.n)
			vec_push(&by->names, name);
	}
	map_release(&seen);
	/* A counting sort: ends[] holds each name's start until its rows are in. */
	by->ends = mem_zalloc(by->names.n + 2, sizeof(*by->ends));
	by->rows = mem_zalloc(s->n + 1, sizeof(*by->rows));
	for (size_t i = 0; i < s->n; i++)
		by->ends[name_of[s->at[i].thread] + 1]++;
	for (size_t i = 0; i < by->names.n; i++)
		by->ends[i + 1] += by->ends[i];
	for (size_t i = 0; i < s->n; i++)
		by->rows[by->ends[name_of[s->at[by_node[i]].thread]]++] = by_node[i];
}

static void by_name_release(struct by_name *by)
{
	vec_release(&by->names);
	free(by->ends);
	free(by->rows);
}

static int add_rows(struct build *b, uint32_t name, const uint32_t *rows, size_t n)
{
	struct tree *t = b->tree;
	uint32_t top = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t value = filter_value(b->filter, rows[i]);
		struct tree_node *node;
		uint32_t at;

		if (!value)
			continue;
		top = top ? top : tree_add(t, 0, 0, name);
		at = place_node(b, top, t->profile->samples.at[rows[i]].node);
		t->sample_node[rows[i]] = at;
		node = &t->nodes.at[at];
		node->self += value;
		node->self_samples++;
		t->samples++;
		if (t->nodes.n > TREE_MAX_NODES)
			return err(-EFBIG, "the call tree has more than %u nodes: select less",
				   TREE_MAX_NODES);
	}
	return 0;
}

static void sum_totals(struct tree *t)
{
	for (size_t i = t->nodes.n; i-- > 0;) {
		struct tree_node *n = &t->nodes.at[i], *parent = &t->nodes.at[n->parent];

		n->total += n->self;
		n->total_samples += n->self_samples;
		if (!i)
			break;
		parent->total += n->total;
		parent->total_samples += n->total_samples;
	}
}

static int by_text(const void *a, const void *b, void *profile)
{
	const struct profile *p = profile;

	return strcmp(profile_text(p, *(const uint32_t *)a), profile_text(p, *(const uint32_t *)b));
}

/* Per tree node the rank of its name among all names of the tree; *@ranks how many there are. */
static uint32_t *rank_names(const struct tree *t, size_t *ranks)
{
	const struct profile *p = t->profile;
	_free_ uint32_t *rank_of = mem_zalloc(intern_count(&p->strings), sizeof(*rank_of));
	uint32_t *rank = mem_zalloc(t->nodes.n, sizeof(*rank));
	VEC(uint32_t) names = {0};

	for (size_t i = 0; i < t->nodes.n; i++) {
		uint32_t name = t->nodes.at[i].name;

		if (!rank_of[name]++)
			vec_push(&names, name);
	}
	vec_sort_by(&names, by_text, p);
	for (size_t i = 0; i < names.n; i++)
		rank_of[names.at[i]] = i;
	for (size_t i = 0; i < t->nodes.n; i++)
		rank[i] = rank_of[t->nodes.at[i].name];
	*ranks = names.n;
	vec_release(&names);
	return rank;
}

/* Puts each node into its parent's list of children, in order of name, then index: sorted by the
 * rank of their names, every node from the last goes to the front of its list. */
static void link_siblings(struct tree *t)
{
	size_t ranks, n = t->nodes.n;
	_free_ uint32_t *rank = rank_names(t, &ranks);
	_free_ uint32_t *order = order_by_key(rank, sizeof(*rank), 0, n, ranks, NULL);

	vec_each (node, &t->nodes)
		node->first_child = 0;
	for (size_t i = n; i-- > 0;) {
		struct tree_node *node = &t->nodes.at[order[i]];
		struct tree_node *parent = &t->nodes.at[node->parent];

		if (!order[i])
			continue;
		node->next_sibling = parent->first_child;
		parent->first_child = order[i];
	}
}

/* The kind of wait of sample @row; REASON_NONE of a newer program's kind, too. */
static enum reason_kind kind_of_row(const struct profile *p, size_t row)
{
	const uint32_t reason = p->samples.at[row].reason;
	const uint8_t kind = reason ? p->reasons.at[reason].kind : REASON_NONE;

	return kind < REASON_KINDS ? kind : REASON_NONE;
}

/* Per tree node its total in samples of @kind: @totals, which is 0. */
static void sum_kind(const struct build *b, enum reason_kind kind, int64_t *totals)
{
	const struct tree *t = b->tree;

	for (size_t row = 0; row < t->profile->samples.n; row++)
		if (t->sample_node[row] && kind_of_row(t->profile, row) == kind)
			totals[t->sample_node[row]] += filter_value(b->filter, row);
	for (size_t i = t->nodes.n; i-- > 1;)
		totals[t->nodes.at[i].parent] += totals[i];
}

/* Gives each node the kind that has most of it: one pass per kind, whose sums take less memory than
 * all at once. */
static void choose_kinds(struct build *b)
{
	struct tree *t = b->tree;
	_free_ int64_t *most = mem_zalloc(t->nodes.n, sizeof(*most));
	_free_ int64_t *totals = mem_zalloc(t->nodes.n, sizeof(*totals));
	bool there[REASON_KINDS] = {false};

	for (size_t row = 0; row < t->profile->samples.n; row++)
		there[kind_of_row(t->profile, row)] |= t->sample_node[row] != 0;
	for (enum reason_kind kind = REASON_NONE; kind < REASON_KINDS; kind++) {
		if (!there[kind])
			continue;
		t->has_reasons |= kind != REASON_NONE;
		memset(totals, 0, t->nodes.n * sizeof(*totals));
		sum_kind(b, kind, totals);
		for (size_t i = 0; i < t->nodes.n; i++)
			if (totals[i] > most[i]) {
				most[i] = totals[i];
				t->nodes.at[i].reason = (uint8_t)kind;
			}
	}
}

static int fill(struct tree *t, const struct filter *filter)
{
	const struct profile *p = t->profile;
	struct build b = {
		.tree = t,
		.filter = filter,
		.place = mem_zalloc(p->nodes.n, sizeof(*b.place)),
		.stamp = mem_zalloc(p->nodes.n, sizeof(*b.stamp)),
	};
	struct by_name by = {0};
	int rc = 0;

	t->sample_node = mem_zalloc(p->samples.n + 1, sizeof(*t->sample_node));
	by_name_init(&by, p);
	for (size_t i = 0, from = 0; !rc && i < by.names.n; from = by.ends[i++])
		rc = add_rows(&b, by.names.at[i], by.rows + from, by.ends[i] - from);
	if (!rc && p->reasons.n)
		choose_kinds(&b);
	by_name_release(&by);
	map_release(&b.children);
	vec_release(&b.path);
	free(b.place);
	free(b.stamp);
	return rc;
}

struct tree *tree_new(const struct profile *p)
{
	struct tree *t = mem_zalloc(1, sizeof(*t));

	t->profile = p;
	t->tables = mem_zalloc(1, sizeof(*t->tables));
	tree_add(t, 0, 0, PROFILE_ROOT_NAME);
	return t;
}

void tree_finish(struct tree *t)
{
	sum_totals(t);
	link_siblings(t);
}

int tree_build(const struct profile *p, const struct selection *sel, struct tree **out)
{
	struct tree *t = tree_new(p);
	struct filter filter;
	int rc = filter_init(&filter, p, sel);

	if (!rc)
		rc = filter_check_any(&filter, sel);
	if (!rc) {
		t->measure = filter.measure;
		t->unit = filter.measure.unit;
		t->base = measure_base(p, &filter.measure);
		t->spread = spread_new(&filter);
		rc = fill(t, &filter);
	}
	filter_release(&filter);
	if (rc) {
		tree_free(t);
		return rc;
	}
	tree_finish(t);
	t->by_name = sel->sort && !strcmp(sel->sort, "name");
	*out = t;
	return 0;
}

static void put_above(struct spread_sums *sums, uint32_t node, void *tree)
{
	const struct tree *t = tree;

	for (; node && spread_step(sums); node = t->nodes.at[node].parent)
		spread_put(sums, node);
	spread_put(sums, 0);
}

double *tree_margins(const struct tree *t)
{
	return spread_margins(t->spread, &(struct spread_by){.key = t->sample_node,
							     .keys = t->nodes.n,
							     .groups = t->nodes.n,
							     .put = put_above,
							     .of = (void *)t});
}

void tree_free(struct tree *t)
{
	if (!t)
		return;
	vec_release(&t->nodes);
	vec_release(&t->tables->functions.rows);
	vec_release(&t->tables->modules.rows);
	vec_release(&t->tables->paths.all);
	free(t->tables);
	spread_free(t->spread);
	free(t->sample_node);
	free(t->base);
	free(t);
}
