/* cgroups: the share of each cgroup, of services and containers. */
#include <math.h>

#include "base/hash.h"
#include "view/base.h"

#define TERMINAL_ROWS 12
#define MAIN_COLUMNS  6

struct group {
	uint32_t name; /* string: the cgroup's path */
	int64_t value, samples;
	double margin;
	uint32_t processes;
};

struct groups {
	VEC(struct group) rows;
	struct map by_name, by_process;
};

static void add_row(struct groups *g, const struct thread_row *r)
{
	const uint32_t at = map_number(&g->by_name, r->cgroup, g->rows.n);
	const uint64_t process = hash_two((uint64_t)r->cgroup << 32 | r->pid, r->born_ns);
	bool fresh;

	if (at == g->rows.n)
		vec_push(&g->rows, ((struct group){.name = r->cgroup}));
	map_put(&g->by_process, process, &fresh);
	g->rows.at[at].processes += fresh;
	g->rows.at[at].value += r->value;
	g->rows.at[at].samples += r->samples;
	g->rows.at[at].margin = hypot(g->rows.at[at].margin, r->margin);
}

static int by_value(const void *a, const void *b)
{
	const struct group *x = a, *y = b;

	return order_down(x->value, y->value) ?: order_up(x->name, y->name);
}

static void write_groups(const struct view_input *in, const struct groups *g, struct doc *doc)
{
	const struct doc_column columns[] = {
		{"Share", "share_percent", CELL_PERCENT, "share of all samples shown"},
		DOC_BAR_COLUMN,
		{base_value_title(in), base_value_key(in), CELL_NUMBER, "amount in this cgroup"},
		{"Samples", "samples", CELL_NUMBER, NULL},
		{"Processes", "processes", CELL_NUMBER, "how many processes of it were seen"},
		{"Cgroup", "cgroup", CELL_TEXT, "a service, a container, a session"},
		{"±", base_margin_key(in), CELL_NUMBER, BASE_MARGIN_HELP},
	};
	_free_ char *caption = base_caption(in);
	struct doc_table *t;

	doc_heading(doc, "Cgroups");
	t = doc_table_of(doc, caption, columns);
	t->extra_from = MAIN_COLUMNS;
	doc_limit(t, TERMINAL_ROWS, 0, "cgroups");
	vec_each (row, &g->rows) {
		const char *name = profile_text(in->profile, row->name);

		base_amount_cells(t, in, row->value, row->margin, row->samples);
		base_count_cell(t, row->processes);
		doc_cell(t, 0, "%s", *name ? name : "[none]");
		base_margin_cell(t, in, row->margin);
	}
}

static int cgroups_write(const struct view_input *in, struct doc *doc)
{
	struct thread_rows rows = {0};
	struct groups g = {0};
	int rc;

	if (base_says_no_samples(in, doc))
		return 0;
	rc = threads_build(in->profile, in->selection, in->tree, false, &rows);
	vec_each (r, &rows.rows)
		if (r->samples)
			add_row(&g, r);
	vec_sort(&g.rows, by_value);
	if (!rc)
		write_groups(in, &g, doc);
	threads_release(&rows);
	vec_release(&g.rows);
	map_release(&g.by_name);
	map_release(&g.by_process);
	return rc;
}

/* A cgroup alone is no choice. */
static bool has_cgroups(const struct profile *p)
{
	uint32_t known = 0;

	vec_each (t, &p->threads) {
		if (known && t->cgroup != known)
			return true;
		known = t->cgroup;
	}
	return false;
}

const struct view cgroups_view = {
	.name = "cgroups",
	.about = "share of each cgroup: services, containers",
	.part = PART_SAMPLES,
	.has = has_cgroups,
	.by_metric = true,
	.shows = {IN_REPORTS},
	.write = cgroups_write,
};
