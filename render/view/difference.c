/* difference_write(): see comparison.h. */
#include "view/comparison.h"

#include <math.h>
#include <stdlib.h>

#include "base/str.h"
#include "paint/diff_words.h"

#define TERMINAL_ROWS 15
#define PRINTED_ROWS  40
#define ROWS	      1000
/* A path with a callee that has so much of its change says nothing that this one does not. */
#define OF_CALLEE 0.8
#define FRAMES	  3 /* of a path that show: its last ones */

static char *caption_of(const struct diff *d)
{
	_free_ char *before = diff_side(d, BASE), *after = diff_side(d, NEW);

	return mem_printf("%s · %s · %s %s · as wide as both together%s", before, after, d->metric,
			  d->measure[d->way].per, d->single ? " · one run a side: suspect" : "");
}

/* --- the table -------------------------------------------------------------------------------- */

struct changed {
	uint32_t node;
	double change; /* of the value */
};
typedef VEC(struct changed) changes;

static double change_of(const struct diff *d, uint32_t node)
{
	return diff_value(d, d->way, node, NEW) - diff_value(d, d->way, node, BASE);
}

static bool says_more(const struct diff *d, uint32_t node)
{
	const struct tree_node *nodes = d->tree->nodes.at;
	const double change = change_of(d, node);

	for (uint32_t c = nodes[node].first_child; c; c = nodes[c].next_sibling)
		if (diff_finding(d, c)->effect != DIFF_SAME &&
		    change_of(d, c) / change >= OF_CALLEE)
			return false;
	return true;
}

static int by_change(const void *a, const void *b)
{
	const struct changed *x = a, *y = b;
	const double dx = fabs(x->change), dy = fabs(y->change);

	return order_down(dx, dy) ?: order_up(x->node, y->node);
}

static void find_changes(const struct diff *d, changes *out)
{
	for (uint32_t i = 0; i < d->nodes.n; i++)
		if (diff_finding(d, i)->effect != DIFF_SAME && says_more(d, i))
			vec_push(out, ((struct changed){i, change_of(d, i)}));
	vec_sort(out, by_change);
	out->n = out->n < ROWS ? out->n : ROWS;
}

/* The last frames of a path: "… › parse › scan". */
static char *path_text(const struct diff *d, uint32_t node)
{
	const struct tree_node *nodes = d->tree->nodes.at;
	uint32_t frames[FRAMES];
	struct str s = {0};
	size_t n = 0;

	for (; n < FRAMES && (node || !n); node = nodes[node].parent)
		frames[n++] = node;
	if (node)
		str_add(&s, "… › ");
	while (n--)
		str_addf(&s, "%s%s", profile_text(d->names, nodes[frames[n]].name), n ? " › " : "");
	return str_steal(&s);
}

static void value_cell(struct doc_table *t, const struct diff *d, uint32_t node, int side)
{
	const double value = diff_value(d, d->way, node, side);
	_free_ char *text = change_value(d->measure[d->way].unit, value);

	doc_cell(t, value, "%s", text);
}

static void write_row(struct doc_table *t, const struct diff *d, uint32_t node)
{
	const struct diff_finding *f = diff_finding(d, node);
	_free_ char *verdict = diff_verdict(d, node), *path = path_text(d, node);
	_free_ char *sign = diff_sign(d, node), *interval = diff_interval(d, node);

	doc_cell(t, 0, "%s", verdict);
	doc_cell(t, 100 * expm1((double)f->change), "%s", sign);
	doc_cell(t, 0, "%s", interval);
	value_cell(t, d, node, BASE);
	value_cell(t, d, node, NEW);
	doc_cell_code(t, FRAME_NATIVE, path);
}

static void write_table(const struct diff *d, struct doc *doc)
{
	static const struct doc_column columns[] = {
		{"Verdict", "verdict", CELL_TEXT, NULL},
		{"Change", "change_percent", CELL_NUMBER, "after against before"},
		{"95 % interval", "interval", CELL_TEXT,
		 "in which the true change lies in 19 of 20 diffs"},
		{"Before", "before", CELL_NUMBER, NULL},
		{"After", "after", CELL_NUMBER, NULL},
		{"Path", "path", CELL_TEXT,
		 "leaf last; without paths whose callee has their change"},
	};
	_free_ char *before = diff_side(d, BASE), *after = diff_side(d, NEW);
	_free_ char *caption =
		mem_printf("%s · %s · %s %s", before, after, d->metric, d->measure[d->way].per);
	changes all = {0};
	struct doc_table *t;

	find_changes(d, &all);
	if (!all.n) {
		doc_text(doc, "No path of the call trees changed distinguishably.");
		return;
	}
	doc_heading(doc, "Paths that changed most");
	t = doc_table_of(doc, caption, columns);
	doc_limit(t, TERMINAL_ROWS, PRINTED_ROWS, "paths");
	doc_spare(t, 2); /* interval */
	for (size_t i = 0; i < all.n; i++)
		write_row(t, d, all.at[i].node);
	vec_release(&all);
}

/* --- all together ----------------------------------------------------------------------------- */

void difference_write(struct diff *d, struct doc *doc, enum doc_medium medium)
{
	_free_ char *caption = caption_of(d);

	if (medium == DOC_TABLE)
		return;
	if (medium != DOC_TERMINAL) {
		diff_label(d);
		doc_heading(doc, "Flame graph of the difference");
		doc_flame(doc, caption, d->tree);
	}
	if (medium != DOC_PICTURE)
		write_table(d, doc);
}
