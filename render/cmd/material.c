#include "cmd/material.h"

#include <errno.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "compare/kept.h"
#include "model/meta.h"
static int add_tree(const struct profile *p, const struct selection *s, const struct tree *own,
		    const char *name, struct metric_trees *out)
{
	struct metric_tree m = {.name = name};
	struct selection of_it = *s;
	int rc;

	if (!strcmp(name, own->measure.name)) {
		if (own->samples)
			vec_push(&out->all, m);
		return 0;
	}
	of_it.metric = m.name;
	rc = tree_build(p, &of_it, &m.tree);
	if (rc < 0 || !m.tree->samples) {
		tree_free(m.tree);
		/* The selection may leave samples of others alone. */
		return rc == -ENOENT ? 0 : rc;
	}
	vec_push(&out->all, m);
	return 0;
}

static void metric_trees_release(struct metric_trees *m)
{
	for (size_t i = 0; i < m->all.n; i++)
		tree_free(m->all.at[i].tree);
	vec_release(&m->all);
}

/* Builds the trees of the metrics that have samples in the selection, in the profile's order; first
 * that of the sum that the report opens with (model/measure.h), if it opens with one. None if fewer
 * than two have samples, or if the selection names one. @own: the report's tree of the selection.
 */
static int metric_trees_build(const struct profile *p, const struct selection *s,
			      const struct tree *own, struct metric_trees *out)
{
	int rc = 0;

	*out = (struct metric_trees){0};
	if (s->metric || p->metrics.n < 2)
		return 0;
	if (own->measure.n > 1)
		rc = add_tree(p, s, own, own->measure.name, out);
	for (uint32_t i = 0; i < p->metrics.n && !rc; i++)
		if (p->metrics.at[i].kind != METRIC_VARIANCE)
			rc = add_tree(p, s, own, profile_text(p, p->metrics.at[i].name), out);
	if (out->all.n < 2)
		metric_trees_release(out);
	return rc;
}

static void select_comparison(struct material *m)
{
	if (!m->comparison && selection_takes_all(&m->selection) && kept_read(m->profile, &m->kept))
		m->comparison = &m->kept;
	m->deltas = m->comparison ? deltas_new(m->comparison, m->profile) : NULL;
}

int material_select(struct material *m, const struct selection *selection, enum doc_medium medium)
{
	const struct selection *s = &m->selection;
	int rc;

	m->selection = *selection;
	m->selection.waits = &m->waits;
	m->medium = medium;
	rc = tree_build(m->profile, s, &m->tree);
	select_comparison(m);
	if (rc == 0)
		rc = zone_tree_build(m->profile, s, &m->zone_tree);
	if (rc == 0)
		rc = zone_rows_build(m->profile, s, &m->zone_rows);
	if (rc == 0 && (medium == DOC_PAGE || medium == DOC_PAPER))
		rc = metric_trees_build(m->profile, s, m->tree, &m->metrics);
	return rc;
}

void material_release(struct material *m)
{
	deltas_free(m->deltas);
	comparison_release(&m->kept);
	metric_trees_release(&m->metrics);
	shared_calls_release(&m->calls);
	zone_rows_release(&m->zone_rows);
	tree_free(m->zone_tree);
	tree_free(m->tree);
	wait_classes_release(&m->waits);
	profile_free(m->profile);
}

static void add_part(struct str *to, const char *part)
{
	str_addf(to, "%s%s", to->n ? " · " : "", part);
}

/* "4 samples" */
static void add_counted(struct str *to, int64_t n, const char *what)
{
	str_addf(to, "%s%s %s%s", to->n ? " · " : "", count_text(n), what, n == 1 ? "" : "s");
}

void material_begin(const struct material *in, struct doc *doc)
{
	const char *command = profile_run(in->profile, RUN_COMMAND);
	const char *events = profile_run(in->profile, RUN_EVENTS);
	const char *node = profile_meta(in->profile, META_NODE);
	struct str subtitle = {0};

	if (events || !profile_has(in->profile, PART_ZONES))
		add_part(&subtitle, events ? events : "unknown event");
	if (in->profile->duration_ns)
		add_part(&subtitle, ns_text((double)in->profile->duration_ns));
	if ((profile_has(in->profile, PART_SAMPLES) || !profile_has(in->profile, PART_ZONES)) &&
	    !measure_is_summed(in->profile, &in->tree->measure))
		add_counted(&subtitle, in->tree->samples, "sample");
	if (profile_has(in->profile, PART_ZONES))
		add_counted(&subtitle, (int64_t)in->zone_rows.rows.n, "zone");
	if (node)
		add_part(&subtitle, node);
	doc_init(doc, in->profile, command && command[0] ? command : "profile",
		 str_text(&subtitle));
	str_release(&subtitle);
}

/* Writes the views from @first on that are of one metric, for each of @metrics. Returns the number
 * of these views, or a negative errno with a text. */
static int write_metrics(const struct view *const *first, const struct view_input *in,
			 const struct metric_trees *metrics, struct doc *doc)
{
	struct selection selection = *in->selection;
	struct view_input of_it = *in;
	int n = 0, rc = 0;

	of_it.selection = &selection;
	while (first[n] && first[n]->by_metric)
		n++;
	vec_each (m, &metrics->all) {
		doc->part = selection.metric = m->name;
		of_it.tree = m->tree ? m->tree : in->tree;
		for (int k = 0; k < n && !rc; k++)
			rc = view_write(first[k], &of_it, doc);
	}
	doc->part = NULL;
	return rc ? rc : n;
}

int material_write(struct material *m, const struct view *const *v, struct doc *doc)
{
	const struct view_input in = {.profile = m->profile,
				      .selection = &m->selection,
				      .tree = m->tree,
				      .zone_tree = m->zone_tree,
				      .zone_rows = &m->zone_rows,
				      .comparison = m->comparison,
				      .deltas = m->deltas,
				      .medium = m->medium,
				      .calls = &m->calls};
	int rc = 0;

	while (*v && rc >= 0) {
		if ((*v)->by_metric && m->metrics.all.n) {
			rc = write_metrics(v, &in, &m->metrics, doc);
			v += rc > 0 ? rc : 0;
		} else {
			rc = view_write(*v++, &in, doc);
		}
	}
	return rc < 0 ? rc : 0;
}
