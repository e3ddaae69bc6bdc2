/*
 * source: the lines of hot functions with what was taken in each, folded around them. Of profiles
 * that hold them: eprof --source.
 */
#include "query/source_listing.h"

#include "base/str.h"
#include "view/base.h"

#define FUNCTIONS_MOST 20
#define PRINTED_ROWS   60

static bool has_amount(const struct source_row *r)
{
	return r->self || r->total;
}

static void amount_cell(struct doc_table *t, const struct view_input *in, int64_t value)
{
	if (value)
		base_percent_cell(t, in, value);
	else
		doc_cell(t, 0, "%s", "");
}

/* Blanks at the start of a line, or several together, keep their width in every format as U+00A0;
 * machines read the line as it is. */
static void text_cell(struct doc_table *t, const char *text)
{
	struct str s = {0};

	for (const char *c = text; *c; c++) {
		if (*c == ' ' && (c == text || c[-1] == ' ' || c[1] == ' '))
			str_add(&s, "\xc2\xa0");
		else
			str_addc(&s, *c);
	}
	doc_cell_code(t, FRAME_NATIVE, str_text(&s));
	doc_raw(t, text);
	str_release(&s);
}

static void row(const struct view_input *in, struct doc_table *t, const struct source_row *r)
{
	amount_cell(t, in, r->self);
	doc_bar(t, base_percent(in, r->self));
	amount_cell(t, in, r->total);
	if (has_amount(r))
		base_value_cell(t, in, r->self);
	else
		doc_cell(t, 0, "%s", "");
	doc_cell(t, r->line, "%u", r->line);
	text_cell(t, profile_text(in->profile, r->text));
}

/* Where lines are left out. */
static void gap(struct doc_table *t, uint32_t before)
{
	doc_cell(t, 0, "%s", "");
	doc_bar(t, 0);
	doc_cell(t, 0, "%s", "");
	doc_cell(t, 0, "%s", "");
	doc_cell(t, before + .5, "%s", "");
	doc_cell(t, 0, "⋮");
}

static void write_function(const struct view_input *in, const struct source_listing *v,
			   const struct source_function *f, struct doc *doc)
{
	const struct doc_column columns[] = {
		{"Self", "self_percent", CELL_PERCENT,
		 "share of the samples that were in this line itself"},
		DOC_BAR_COLUMN,
		{"Total", "total_percent", CELL_PERCENT,
		 "share of the samples that were in this line or in what it called"},
		{"Amount", base_value_key(in), CELL_NUMBER, "in this line itself"},
		{"Line", "line", CELL_NUMBER, NULL},
		{"Source", "source", CELL_TEXT, "as the file was when the profile was captured"},
	};
	const struct profile *p = in->profile;
	const struct function *function = &p->functions.at[f->function];
	_free_ char *caption =
		mem_printf("%s, %s: %.1f %% in it", profile_text(p, function->name),
			   profile_text(p, function->file), base_percent(in, f->self));
	struct doc_table *t = doc_table_of(doc, caption, columns);

	t->file = profile_text(p, function->file);
	doc_limit(t, 0, PRINTED_ROWS, "lines");
	for (size_t i = f->first; i < f->first + f->n; i++) {
		if (i > f->first && v->rows.at[i].line != v->rows.at[i - 1].line + 1)
			gap(t, v->rows.at[i - 1].line);
		row(in, t, &v->rows.at[i]);
	}
}

static int source_write(const struct view_input *in, struct doc *doc)
{
	struct source_listing v;
	int rc;

	if (base_says_no_samples(in, doc))
		return 0;
	if (!profile_has(in->profile, PART_SOURCE)) {
		doc_text(doc, "The profile holds no source lines: capture with eprof --source.");
		return 0;
	}
	rc = source_build(in->profile, in->selection, &v);
	if (!rc)
		doc_heading(doc, "Source");
	if (!rc && !v.functions.n)
		doc_text(doc, "No function of this selection has source lines in the profile.");
	for (size_t i = 0; !rc && i < v.functions.n && i < FUNCTIONS_MOST; i++)
		write_function(in, &v, &v.functions.at[i], doc);
	if (!rc && v.functions.n > FUNCTIONS_MOST)
		doc_text(doc, "%zu more functions have source lines; --focus shows one.",
			 v.functions.n - FUNCTIONS_MOST);
	source_release(&v);
	return rc;
}

const struct view source_view = {
	.name = "source",
	.about = "source lines of hot functions (of eprof --source)",
	.part = PART_SOURCE,
	.by_metric = true,
	.shows = {[DOC_PAGE] = SHOWS, [DOC_PAPER] = SHOWS},
	.write = source_write,
};
