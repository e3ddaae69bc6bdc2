/*
 * report_doc: the sample profile through views, and a document through a format into memory, for
 * the tests of views and formats. Include cmocka.h before it.
 */
#ifndef TESTS_REPORT_DOC_H
#define TESTS_REPORT_DOC_H

#include <stdio.h>

#include "compare/kept.h"
#include "doc.h"
#include "format/format.h"
#include "timeline/call_sums.h"
#include "view/view.h"

struct report_doc {
	struct profile *profile; /* owned */
	struct selection selection;
	struct tree *tree;
	struct tree *zone_tree;
	struct zone_rows zone_rows;
	struct shared_calls calls;
	struct comparison kept;
	struct deltas *deltas;
	struct doc doc;
};

/* Takes @p over. @names is NULL-terminated. */
static inline void report_doc_init(struct report_doc *r, struct profile *p,
				   const struct selection *selection, const char *const *names)
{
	struct view_input in = {.profile = p, .selection = &r->selection, .calls = &r->calls};

	*r = (struct report_doc){.profile = p};
	if (selection)
		r->selection = *selection;
	assert_int_equal(tree_build(p, &r->selection, &r->tree), 0);
	assert_int_equal(zone_tree_build(p, &r->selection, &r->zone_tree), 0);
	assert_int_equal(zone_rows_build(p, &r->selection, &r->zone_rows), 0);
	in.tree = r->tree;
	in.zone_tree = r->zone_tree;
	in.zone_rows = &r->zone_rows;
	if (kept_read(p, &r->kept)) {
		in.comparison = &r->kept;
		in.deltas = r->deltas = deltas_new(&r->kept, p);
	}
	doc_init(&r->doc, p, "title <&>", "subtitle");
	for (; *names; names++) {
		assert_non_null(view_find(*names));
		assert_int_equal(view_write(view_find(*names), &in, &r->doc), 0);
	}
}

/* The report that @f makes by itself. */
static inline void report_doc_of_format(struct report_doc *r, struct profile *p,
					const struct format *f)
{
	const struct view *chosen[VIEWS_MOST];
	const char *names[VIEWS_MOST] = {0};

	view_choose(f->medium, f->one_view, p, chosen);
	for (size_t i = 0; chosen[i]; i++)
		names[i] = chosen[i]->name;
	report_doc_init(r, p, NULL, names);
}

static inline void report_doc_release(struct report_doc *r)
{
	doc_release(&r->doc);
	deltas_free(r->deltas);
	comparison_release(&r->kept);
	zone_rows_release(&r->zone_rows);
	shared_calls_release(&r->calls);
	tree_free(r->zone_tree);
	tree_free(r->tree);
	profile_free(r->profile);
}

/* The n-th block of a kind. */
static inline const struct doc_block *report_doc_block(const struct report_doc *r,
						       enum block_kind kind, size_t n)
{
	for (size_t i = 0; i < r->doc.blocks.n; i++)
		if (r->doc.blocks.at[i].kind == kind && !n--)
			return &r->doc.blocks.at[i];
	fail_msg("no such block");
	return NULL;
}

/* What the format writes, NUL-terminated; freed by the caller. */
static inline char *report_doc_write(const struct doc *doc, const char *format,
				     const struct format_options *options, size_t *n)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, n);

	assert_non_null(format_find(format));
	assert_int_equal(format_find(format)->write(doc, options, out), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

#endif
