#include "export/zone_stacks.h"

#include "model/rows.h"
#include "model/meta.h"

static void add_row(struct profile *p, const struct tree_node *n, uint32_t node)
{
	if (n->self || n->self_samples)
		profile_sample(p, 0, 0, node, (const int64_t[]){n->self_samples, n->self});
}

struct profile *zone_stacks_build(const struct tree *zones)
{
	const struct tree_node *nodes = zones->nodes.at;
	struct profile *p = profile_new();
	_free_ uint32_t *place = mem_zalloc(zones->nodes.n, sizeof(*place));
	struct thread thread = {.name = intern_add(&p->strings, "zones")};
	struct rows names;

	rows_init(&names, zones->profile, p, NULL);
	profile_copy_attributes(zones->profile, p);
	profile_metric(p, ZONE_STACKS_CALLS, "events", METRIC_COUNT);
	profile_metric(p, ZONE_STACKS_TIME, "ns", METRIC_SUM);
	profile_set_run(p, RUN_METRIC, ZONE_STACKS_TIME);
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
