#include "cmd/metrics.h"

#include <errno.h>
#include <string.h>

static int add(const struct profile *p, const struct selection *s, const struct tree *own,
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

int metric_trees_build(const struct profile *p, const struct selection *s, const struct tree *own,
		       struct metric_trees *out)
{
	int rc = 0;

	*out = (struct metric_trees){0};
	if (s->metric || p->metrics.n < 2)
		return 0;
	if (own->measure.n > 1)
		rc = add(p, s, own, own->measure.name, out);
	for (uint32_t i = 0; i < p->metrics.n && !rc; i++)
		rc = add(p, s, own, profile_text(p, p->metrics.at[i].name), out);
	if (out->all.n < 2)
		metric_trees_release(out);
	return rc;
}

void metric_trees_release(struct metric_trees *m)
{
	for (size_t i = 0; i < m->all.n; i++)
		tree_free(m->all.at[i].tree);
	vec_release(&m->all);
}
