/* Source lines of several captures: see merge.h. */
#include "merge/merge_ordering.h"

static uint32_t differs(struct profile *p)
{
	return intern_add(&p->strings, SOURCE_DIFFERS);
}

void merge_add_source(struct merge_next *n)
{
	struct profile *p = n->m->p;

	for (size_t i = 0; i < n->from->source_lines.n; i++) {
		const struct source_line *e = &n->from->source_lines.at[i];
		const uint32_t file = copy_text(&n->names, e->file);
		const uint32_t text = copy_text(&n->names, e->text);
		bool fresh;
		uint32_t *at =
			map_put(&n->m->source_by_place, (uint64_t)file << 32 | e->line, &fresh);

		if (fresh) {
			*at = (uint32_t)p->source_lines.n;
			vec_push(&p->source_lines, ((struct source_line){file, e->line, text}));
		} else if (p->source_lines.at[*at].text != text) {
			p->source_lines.at[*at].text = differs(p);
		}
	}
}

void order_source(struct ordering *o)
{
	const struct profile *from = o->from;
	const size_t n = from->source_lines.n;
	struct sort_row *rows = sort_rows_new(n);

	for (size_t i = 0; i < n; i++) {
		const struct source_line *e = &from->source_lines.at[i];

		rows[i].k[0] = ordered_pair(o, e->file, 0);
		rows[i].k[1] = e->line;
	}
	sort_rows(rows, n);
	for (size_t i = 0; i < n; i++) {
		struct source_line e = from->source_lines.at[rows[i].i];

		e.file = ordered_text(o, e.file);
		e.text = ordered_text(o, e.text);
		vec_push(&o->to->source_lines, e);
	}
	free(rows);
}
