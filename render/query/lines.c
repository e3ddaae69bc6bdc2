#include "query/lines.h"

#include <stdlib.h>
#include <string.h>

#include "query/filter.h"
#include "query/spread.h"

/* The frame that a sample counts for: its leaf, or the first caller that is not left out. */
static const struct frame *leaf_of(const struct filter *f, uint32_t node)
{
	const struct profile *p = f->profile;

	for (; node; node = p->nodes.at[node].parent) {
		const struct frame *frame = &p->frames.at[p->nodes.at[node].frame];

		if (frame->function && !(f->omit && f->omit[frame->function]))
			return frame;
	}
	return &p->frames.at[0];
}

/* @row_of: per sample. */
static void add_margins(const struct filter *f, const uint32_t *row_of, struct line_rows *out)
{
	const size_t n = out->rows.n;
	_free_ double *margins = spread_of_rows(f, NULL, row_of, n);

	for (size_t i = 0; i < n; i++)
		out->rows.at[i].margin = margins[i];
}

static void add_samples(const struct filter *f, struct line_rows *out)
{
	const struct samples *s = &f->profile->samples;
	_free_ uint32_t *row_of = mem_zalloc(s->n + 1, sizeof(*row_of));
	struct map by_place = {0};

	for (size_t i = 0; i < s->n; i++) {
		int64_t value = filter_value(f, i);
		const struct frame *leaf;
		uint32_t row;

		if (!value)
			continue;
		leaf = leaf_of(f, s->at[i].node);
		row = map_number(&by_place, (uint64_t)leaf->function << 32 | leaf->line,
				 out->rows.n);
		if (row == out->rows.n)
			vec_push(&out->rows,
				 ((struct line_row){leaf->function, leaf->line, 0, 0, 0}));
		row_of[i] = row;
		out->rows.at[row].self += value;
		out->rows.at[row].samples++;
		out->total += value;
	}
	map_release(&by_place);
	add_margins(f, row_of, out);
}

static int by_self(const void *left, const void *right, void *profile)
{
	const struct line_row *a = left, *b = right;
	const struct profile *p = profile;

	return order_down(a->self, b->self) ?:
	       order_down(a->samples, b->samples) ?:
	       strcmp(profile_text(p, p->functions.at[a->function].name),
		      profile_text(p, p->functions.at[b->function].name)) ?:
	       order_up(a->line, b->line) ?:
	       order_up(a->function, b->function);
}

int lines_build(const struct profile *p, const struct selection *sel, struct line_rows *out)
{
	struct filter filter;
	int rc = filter_init(&filter, p, sel);

	*out = (struct line_rows){0};
	if (!rc)
		add_samples(&filter, out);
	filter_release(&filter);
	vec_sort_by(&out->rows, by_self, p);
	return rc;
}

void lines_release(struct line_rows *rows)
{
	vec_release(&rows->rows);
}
