#include "export/export.h"

#include "base/str.h"
#include "model/meta.h"
#include "model/rows.h"
#include "query/tree.h"

#define EXPORT(name) extern const struct export name##_export;
#include "export/exports.def"
#undef EXPORT

const struct export *const exports[] = {
#define EXPORT(name) &name##_export,
#include "export/exports.def"
#undef EXPORT
	NULL,
};

const struct export *export_find(const char *name)
{
	for (const struct export *const *e = exports; *e; e++)
		if (!strcmp((*e)->name, name))
			return *e;
	return NULL;
}

/* How many letters of the file's name are @e's: its extension, behind a dot. */
static size_t fit(const struct export *e, const char *file)
{
	const size_t n = strlen(file), length = e->extension ? strlen(e->extension) : 0;

	if (length && n > length && file[n - length - 1] == '.' && str_ends(file, e->extension))
		return length;
	return e->beginning && str_starts(file, e->beginning) ? strlen(e->beginning) : 0;
}

const struct export *export_find_for(const char *path)
{
	const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
	const struct export *best = NULL;

	for (const struct export *const *e = exports; *e; e++)
		if (fit(*e, file) > (best ? fit(best, file) : 0))
			best = *e;
	return best;
}

static void add_row(struct profile *p, const struct tree_node *n, uint32_t node)
{
	if (n->self || n->self_samples)
		profile_sample(p, 0, 0, node, (const int64_t[]){n->self_samples, n->self});
}

struct profile *export_zone_stacks(const struct tree *zones)
{
	const struct tree_node *nodes = zones->nodes.at;
	struct profile *p = profile_new();
	_free_ uint32_t *place = mem_zalloc(zones->nodes.n, sizeof(*place));
	struct thread thread = {.name = intern_add(&p->strings, "zones")};
	struct rows names;

	rows_init(&names, zones->profile, p, NULL);
	profile_copy_attributes(zones->profile, p);
	profile_metric(p, "calls", "events", METRIC_COUNT);
	profile_metric(p, "time", "ns", METRIC_SUM);
	profile_set_run(p, RUN_METRIC, "time");
	profile_thread(p, &thread);
	for (size_t i = 1; i < zones->nodes.n; i++) {
		const struct frame frame = {
			.function = rows_need(&names, TABLE_functions, nodes[i].function)};

		place[i] = profile_node(p, place[nodes[i].parent], profile_frame(p, &frame));
		add_row(p, &nodes[i], place[i]);
	}
	rows_release(&names);
	return p;
}
