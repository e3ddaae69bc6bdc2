/*
 * reasons: why threads were off the CPU: by kind of wait, then by what was waited for. Of the
 * metric that --metric names, else of the first one whose samples have reasons.
 */
#include "view/base.h"

#include <errno.h>
#include <string.h>

#include "base/hash.h"
#include "base/str.h"
#include "query/filter.h"
#include "query/wait_class.h"
#include "model/reason.h"

#define TERMINAL_KINDS	 12
#define TERMINAL_OBJECTS 12
#define MAIN_COLUMNS	 7

#define WAIT_CLASS_HELP                                                                           \
	"idle: the thread had nothing to do; held up: it waited within its work; undecided: its " \
	"stacks do not tell"

/* A kind of wait, or one thing that was waited for in one system call. */
struct group {
	struct reason is;
	uint8_t class; /* enum wait_class */
	int64_t value, samples;
	double margin;
	uint64_t states; /* letters, as bits from 'A' on */
};

struct reason_groups {
	VEC(struct group) rows;
	struct map by_key;
};

struct sums {
	struct view_input in; /* with a tree of the metric that is shown */
	const struct wait_classes *classes;
	struct reason_groups kinds, objects;
};

/* --- summing up ------------------------------------------------------------------------------- */

static uint64_t kind_key(const struct reason *r, uint8_t class)
{
	return (uint64_t)r->kind << 8 | class;
}

static uint64_t object_key(const struct reason *r, uint8_t class)
{
	return hash_two((uint64_t)r->call << 32 | r->object, kind_key(r, class));
}

static uint32_t add(struct reason_groups *g, uint64_t key, const struct reason *r, uint8_t class,
		    int64_t value)
{
	const uint32_t at = map_number(&g->by_key, key, g->rows.n);
	struct group *row;

	if (at == g->rows.n)
		vec_push(&g->rows, ((struct group){.is = *r, .class = class}));
	row = &g->rows.at[at];
	row->value += value;
	row->samples++;
	if (r->state >= 'A' && r->state <= 'z')
		row->states |= 1ull << (r->state - 'A');
	return at;
}

/* @group_of: per row of samples the group that it is in; UINT32_MAX: in none. */
static void add_margins(struct reason_groups *g, const struct filter *f, uint32_t *group_of)
{
	_free_ double *margins = NULL;

	for (size_t i = 0; i < f->profile->samples.n; i++)
		if (group_of[i] == UINT32_MAX)
			group_of[i] = (uint32_t)g->rows.n;
	margins = spread_of_rows(f, NULL, group_of, g->rows.n + 1);
	for (size_t i = 0; i < g->rows.n; i++)
		g->rows.at[i].margin = margins[i];
}

static void add_samples(struct sums *s, const struct filter *f)
{
	const struct profile *p = s->in.profile;
	const size_t bytes = p->samples.n * sizeof(uint32_t);
	_free_ uint32_t *kind_of = mem_zalloc(bytes + 1, 1), *object_of = mem_zalloc(bytes + 1, 1);

	memset(kind_of, 0xff, bytes);
	memset(object_of, 0xff, bytes);
	for (size_t i = 0; i < p->samples.n; i++) {
		const uint32_t reason = p->samples.at[i].reason;
		const int64_t value = reason ? filter_value(f, i) : 0;
		const uint8_t class = s->classes->of[i];
		const struct reason *r;

		if (!value)
			continue;
		r = &p->reasons.at[reason];
		kind_of[i] = add(&s->kinds, kind_key(r, class), r, class, value);
		if (r->call || r->object)
			object_of[i] = add(&s->objects, object_key(r, class), r, class, value);
	}
	add_margins(&s->kinds, f, kind_of);
	add_margins(&s->objects, f, object_of);
}

static int by_value(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return order_down(x->value, y->value) ?:
	       order_up(x->is.kind, y->is.kind) ?:
	       order_up(x->is.object, y->is.object);
}

static void sort(struct reason_groups *g)
{
	vec_sort(&g->rows, by_value);
}

static void release(struct reason_groups *g)
{
	vec_release(&g->rows);
	map_release(&g->by_key);
}

/* --- tables ----------------------------------------------------------------------------------- */

/* A newer program's kind has no name here. */
static const char *kind_text(const struct reason *r)
{
	const char *name = reason_kind_name(r->kind);

	return *name ? name : "another reason";
}

static void states_cell(struct doc_table *t, uint64_t states)
{
	struct str text = {0};

	for (int letter = 'A'; letter <= 'z'; letter++)
		if (states >> (letter - 'A') & 1)
			str_addc(&text, (char)letter);
	doc_cell(t, 0, "%s", str_text(&text));
	str_release(&text);
}

static void write_kinds(const struct view_input *in, const struct reason_groups *g, struct doc *doc)
{
	const struct doc_column columns[] = {
		{"Share", "share_percent", CELL_PERCENT, "share of all samples shown"},
		DOC_BAR_COLUMN,
		{base_value_title(in), base_value_key(in), CELL_NUMBER,
		 "amount in waits of this kind"},
		{"Samples", "samples", CELL_NUMBER, NULL},
		{"Reason", "reason", CELL_TEXT, NULL},
		{"States", "states", CELL_TEXT, "task states of the threads, as ps shows them"},
		{"Class", "class", CELL_TEXT, WAIT_CLASS_HELP},
		{"±", base_margin_key(in), CELL_NUMBER, BASE_MARGIN_HELP},
	};
	_free_ char *caption = base_caption(in);
	bool margins = false;
	struct doc_table *t;

	doc_heading(doc, "Why threads were off the CPU");
	t = doc_table_of(doc, caption, columns);
	t->extra_from = MAIN_COLUMNS;
	doc_limit(t, TERMINAL_KINDS, 0, "reasons");
	for (size_t i = 0; i < g->rows.n; i++) {
		base_amount_cells(t, in, g->rows.at[i].value, g->rows.at[i].margin,
				  g->rows.at[i].samples);
		doc_cell(t, 0, "%s", kind_text(&g->rows.at[i].is));
		states_cell(t, g->rows.at[i].states);
		doc_cell(t, 0, "%s", wait_class_name(g->rows.at[i].class));
		base_margin_cell(t, in, g->rows.at[i].margin);
		margins |= base_shows_margin(g->rows.at[i].value, g->rows.at[i].margin);
	}
	base_margin_note(doc, margins);
}

static void write_objects(const struct view_input *in, const struct reason_groups *g,
			  struct doc *doc)
{
	const struct doc_column columns[] = {
		{"Share", "share_percent", CELL_PERCENT, "share of all samples shown"},
		DOC_BAR_COLUMN,
		{base_value_title(in), base_value_key(in), CELL_NUMBER, "amount in these waits"},
		{"Samples", "samples", CELL_NUMBER, NULL},
		{"Reason", "reason", CELL_TEXT, NULL},
		{"Class", "class", CELL_TEXT, WAIT_CLASS_HELP},
		{"System call", "call", CELL_TEXT, "in which the thread waited"},
		{"Waited for", "object", CELL_TEXT,
		 "lock, file, pipe or socket; empty where that is not known"},
		{"±", base_margin_key(in), CELL_NUMBER, BASE_MARGIN_HELP},
	};
	struct doc_table *t;

	doc_heading(doc, "What threads waited for");
	t = doc_table_of(doc, "", columns);
	t->extra_from = MAIN_COLUMNS + 1;
	doc_limit(t, TERMINAL_OBJECTS, 0, "objects");
	for (size_t i = 0; i < g->rows.n; i++) {
		const struct reason *r = &g->rows.at[i].is;

		base_amount_cells(t, in, g->rows.at[i].value, g->rows.at[i].margin,
				  g->rows.at[i].samples);
		doc_cell(t, 0, "%s", kind_text(r));
		doc_cell(t, 0, "%s", wait_class_name(g->rows.at[i].class));
		doc_cell(t, 0, "%s", profile_text(in->profile, r->call));
		doc_cell(t, 0, "%s", profile_text(in->profile, r->object));
		base_margin_cell(t, in, g->rows.at[i].margin);
	}
}

static int write_tables(struct sums *s, struct doc *doc)
{
	struct wait_classes own;
	struct filter f;
	int rc = filter_init(&f, s->in.profile, s->in.selection);

	if (!rc) {
		s->classes = wait_classes_of(s->in.profile, s->in.selection->waits, &own);
		add_samples(s, &f);
		wait_classes_release(&own);
	}
	filter_release(&f);
	sort(&s->kinds);
	sort(&s->objects);
	if (!rc && s->kinds.rows.n)
		write_kinds(&s->in, &s->kinds, doc);
	else if (!rc)
		doc_text(doc, "No waits off the CPU are among the samples shown.");
	if (!rc && s->objects.rows.n)
		write_objects(&s->in, &s->objects, doc);
	release(&s->kinds);
	release(&s->objects);
	return rc;
}

static int reasons_write(const struct view_input *in, struct doc *doc)
{
	struct selection selection = *in->selection;
	struct tree *tree = NULL;
	struct sums s = {.in = *in};
	int rc = 0;

	if (!selection.metric) {
		selection.metric = filter_metric_of_waits(in->profile);
		s.in.selection = &selection;
		rc = selection.metric ? tree_build(in->profile, &selection, &tree) : 0;
		s.in.tree = tree ? tree : in->tree;
	}
	/* The selection may leave none of that metric's samples. */
	if (!rc || rc == -ENOENT)
		rc = write_tables(&s, doc);
	tree_free(tree);
	return rc;
}

const struct view reasons_view = {
	.name = "reasons",
	.about = "why threads were off the CPU, and what they waited for",
	.part = PART_OFFCPU,
	.missing = "No waits in this profile: eprof --off-cpu captures them.",
	.shows = {IN_REPORTS},
	.write = reasons_write,
};
