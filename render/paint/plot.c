#include "paint/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "diff/diff.h"

/* What is in no box: the parts of drawn boxes that are neither self nor a drawn child. */
static double percent_left_out(const struct flame *f)
{
	double drawn_children = 0, inner = 0;

	vec_each (b, &f->boxes) {
		inner += (double)(b->w - f->tree->nodes.at[b->node].self);
		if (b->node)
			drawn_children += (double)b->w;
	}
	for (size_t i = 0; i < f->merged.n; i++)
		drawn_children += (double)f->merged.at[i].w;
	return f->width > 0 ? 100 * (inner - drawn_children) / (double)f->width : 0;
}

void plot_init(struct plot *p, const struct tree *t, double width, double min_width)
{
	double min = ceil((double)t->nodes.at[0].total * min_width / width);

	*p = (struct plot){.width = width};
	flame_layout(t, min < 1 ? 1 : (int64_t)min, &p->flame);
	p->rows = p->flame.rows;
	p->left_out = percent_left_out(&p->flame);
}

void plot_release(struct plot *p)
{
	flame_release(&p->flame);
}

static bool place(const struct plot *p, uint32_t depth, int64_t x, int64_t w, struct plot_rect *out)
{
	double scale = p->flame.width > 0 ? p->width / (double)p->flame.width : 0;

	if (depth < p->first_row || depth - p->first_row >= p->rows)
		return false;
	out->x = p->x + (double)x * scale;
	/* A flame of nothing is its root. */
	out->w = p->flame.width > 0 ? (double)w * scale : p->width;
	out->y = p->y + (p->rows - 1 - (depth - p->first_row)) * p->row_height;
	out->h = p->row_height;
	return true;
}

bool plot_place(const struct plot *p, const struct flame_box *b, struct plot_rect *out)
{
	return place(p, b->depth, b->x, b->w, out);
}

bool plot_place_merged(const struct plot *p, const struct flame_merged *m, struct plot_rect *out)
{
	return place(p, m->depth, m->x, m->w, out);
}

char *plot_merged_name(const struct flame_merged *m)
{
	return mem_printf("%s box%s", count_text(m->nodes), m->nodes == 1 ? "" : "es");
}

const char *plot_name(const struct plot *p, const struct flame_box *b)
{
	const struct tree *t = p->flame.tree;

	if (t->diff && t->diff->label)
		return profile_text(t->profile, t->diff->label[b->node]);
	return b->node ? profile_text(t->profile, t->nodes.at[b->node].name) : "root";
}

char *plot_note(const struct plot *p, double min_width, const char *unit)
{
	char share[UNITS_BUF];
	int64_t nodes = 0;
	struct str s = {0};

	for (size_t i = 0; i < p->flame.merged.n; i++)
		nodes += p->flame.merged.at[i].nodes;
	if (nodes)
		str_addf(&s, "%s boxes under %g %s are drawn as %zu", count_text(nodes), min_width,
			 unit, p->flame.merged.n);
	units_percent(share, sizeof(share), p->left_out, 100);
	if (p->left_out > 0)
		str_addf(&s, nodes ? "; not drawn: %s" : "not drawn: %s in boxes under %g %s",
			 share, min_width, unit);
	return s.n ? str_steal(&s) : NULL;
}

static int by_width(const void *a, const void *b)
{
	const struct legend_entry *x = a, *y = b;

	return order_down(x->widest, y->widest) ?: strcmp(x->label, y->label);
}

static size_t diff_legend(struct legend_entry *out)
{
	for (unsigned look = 0; look < DIFF_LOOKS; look++)
		out[look] = (struct legend_entry){.label = diff_look_label(look),
						  .colour = diff_look_colour(look)};
	return DIFF_LOOKS;
}

size_t plot_legend(const struct plot *p, struct legend_entry out[LEGEND_MAX])
{
	const struct tree *t = p->flame.tree;
	int64_t widest[LEGEND_MAX] = {0};
	struct rgb colours[LEGEND_MAX] = {0};
	size_t n = 0, code = 0;

	if (t->diff)
		return diff_legend(out);
	vec_each (b, &p->flame.boxes) {
		const unsigned kind = flame_class(t, &t->nodes.at[b->node]);

		if (b->node && b->w > widest[kind]) {
			widest[kind] = b->w;
			colours[kind] = flame_colour(t, &t->nodes.at[b->node]);
		}
	}
	for (unsigned kind = 0; kind < FLAME_CLASSES; kind++) {
		if (widest[kind])
			out[n++] = (struct legend_entry){flame_class_label(t, kind), colours[kind],
							 widest[kind], kind >= FRAME_CLASSES};
		code = kind < FRAME_CLASSES ? n : code;
	}
	qsort(out + code, n - code, sizeof(*out), by_width);
	return n;
}
