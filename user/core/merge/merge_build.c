/*
 * Builds of modules. Functions that have a name are the same in all builds of their module, so that
 * module is known by its path; a function without a name is an offset, which is of one build.
 */
#include "merge/merge_state.h"
#include "model/row_index.h"

static void know_build(struct merge *m, const struct module *e)
{
	bool fresh;
	uint32_t *build = map_put(&m->builds, e->path, &fresh);

	*build = fresh || *build == e->build_id ? e->build_id : BUILDS_SEVERAL;
}

void merge_place_build(struct merge_next *n, enum table_id id, uint32_t i, void *row)
{
	struct function *f = row;
	struct module *e = row;

	if (id == TABLE_modules) {
		know_build(n->m, e);
		e->build_id = 0;
	} else if (id == TABLE_functions && !f->named && f->module) {
		e = &n->from->modules.at[n->from->functions.at[i].module];
		f->module = profile_module(n->m->p, profile_text(n->from, e->path),
					   profile_text(n->from, e->build_id));
	}
}

void merge_settle_builds(struct merge *m)
{
	for (size_t i = 1; i < m->p->modules.n; i++) {
		struct module *e = &m->p->modules.at[i];
		const uint32_t *build = map_get(&m->builds, e->path);

		if (!e->build_id && build && *build != BUILDS_SEVERAL)
			e->build_id = *build;
	}
	row_index_reset(m->p, TABLE_modules);
}
