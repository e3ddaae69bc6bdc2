#include "cmd/metrics.h"

#include <errno.h>

static int add(const struct profile *p, const struct selection *s, uint32_t metric,
	       struct metric_trees *out)
{
	struct metric_tree m = {.name = profile_text(p, p->metrics.at[metric].name)};
	struct selection of_it = *s;
	int rc;

	of_it.metric = m.name;
	rc = tree_build(p, &of_it, &m.tree);
	if (rc < 0 || !m.tree->samples) {
		tree_free(m.tree);
		/* The selection may leave samples of others alone. */
		return rc == -ENOENT ? 0 : rc;
	}
	top_build(m.tree, &m.top);
	vec_push(&out->all, m);
	return 0;
}

int metric_trees_build(const struct profile *p, const struct selection *s, struct metric_trees *out)
{
	int rc = 0;

	*out = (struct metric_trees){0};
	for (uint32_t i = 0; !s->metric && p->metrics.n > 1 && i < p->metrics.n && !rc; i++)
		rc = add(p, s, i, out);
	if (out->all.n < 2)
		metric_trees_release(out);
	return rc;
}

void metric_trees_release(struct metric_trees *m)
{
	for (size_t i = 0; i < m->all.n; i++) {
		top_release(&m->all.at[i].top);
		tree_free(m->all.at[i].tree);
	}
	vec_release(&m->all);
}
