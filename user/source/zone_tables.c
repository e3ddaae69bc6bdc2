/*
 * zone_tables: from what the kernel counted to the rows of a profile.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "model/hist.h"
#include "source/zone_cost.h"
#include "source/zone_ledger.h"
#include "source/zone_tables.h"
#include "probe/probed_functions.h"
#include "probe/cost_limit.h"
#include "probe/engine.h"

#define NO_ROW UINT32_MAX

/* What is being made. */
struct rows {
	const struct engine *z;
	struct assembly *a;
	struct profile *p;
	struct probed_functions functions;
	struct map row_by_key; /* → row of zones */
	size_t nodes;	       /* in the kernel */
	uint32_t *zone_of;     /* zone number → row of zones */
	uint32_t *edge_of;     /* node → row of zone_edges */
	bool *needed;	       /* by node: it has a row whatever was measured */
	struct tally *tallies; /* of each row of zones */
};

/* Sums over all places of a zone. */
struct tally {
	uint64_t timed, total_ns, self_ns;
	zone_squares squares, self_squares;
	uint64_t min_ns, max_ns, self_min_ns, self_max_ns;
};

/* --- zones ---------------------------------------------------------------------------------- */

static bool maps_image(const struct engine *z, const struct probed_process *p,
		       const struct probed_image *image)
{
	for (size_t i = 0; i < p->images.n; i++)
		if (z->at.at[p->images.at[i]] == image)
			return true;
	return false;
}

static enum exit_way add_way(enum exit_way way, enum exit_way here)
{
	return way == EXIT_UNKNOWN || way == here ? here : EXIT_MIXED;
}

static enum exit_way exit_of(const struct engine *z, const struct probed_image *image, size_t k)
{
	const struct probed_past *past = &image->past;
	enum exit_way way = EXIT_UNKNOWN;

	if (past->hijack)
		way = add_way(way, probed_image_exit(image, k, WIRE_PROC_HIJACK));
	if (past->rets)
		way = add_way(way, probed_image_exit(image, k, WIRE_PROC_RETS));
	if (past->none)
		way = add_way(way, probed_image_exit(image, k, 0));
	for (size_t i = 0; i < z->processes.n; i++)
		if (maps_image(z, z->processes.at[i], image))
			way = add_way(way, probed_image_exit(image, k, z->processes.at[i]->flags));
	return way;
}

static const char *note_of(const struct engine *z, const struct probed_image *image, size_t k,
			   enum exit_way way)
{
	const struct sites *s = &image->list.zones.at[k].sites;

	if (s->why)
		return s->why;
	if (image->refused.at[k])
		return "the kernel refuses a probe there";
	if (way != EXIT_NONE && way != EXIT_MIXED)
		return "";
	if (z->in.o->ends == CALL_ENDS_NONE || z->in.o->clocks & WIRE_CLOCK_NONE)
		return "calls are only counted, as was asked for";
	if (s->exits_why == sites_stub)
		return sites_stub;
	if (s->own_return)
		return "it uses its own return address, so its calls are only counted";
	if (s->exits_why)
		return s->exits_why;
	return "";
}

static uint32_t add_zone(struct rows *r, const struct probed_image *image, size_t k,
			 uint32_t module)
{
	const struct zone_def *def = &image->list.zones.at[k];
	enum exit_way way = exit_of(r->z, image, k);
	struct intern *strings = &r->p->strings;
	_free_ char *name = str_clean(def->name, strlen(def->name));
	_free_ char *limited = cost_limit_note(r->z, image->first + (uint32_t)k);
	_free_ char *file = def->file ? str_clean(def->file, strlen(def->file)) : mem_strdup("");
	struct zone e = {
		.name = intern_add(strings, name),
		.src_file = intern_add(strings, file),
		.src_line = def->line,
		.module = module,
		.function = probed_functions_known(&r->functions, module, def),
		.address = def->address,
		.exit_way = (uint8_t)way,
		.note = intern_add(strings, limited ? limited : note_of(r->z, image, k, way)),
	};

	if (cost_limit_detached(r->z, image->first + (uint32_t)k))
		e.flags = ZONE_DETACHED;
	if (probed_image_has(image, k))
		e.site_class = (uint8_t)def->sites.entry.class;
	return profile_zone(r->p, &e);
}

/* The row of a zone, that of a copy of the file under the same name included: containers have
 * copies. */
static uint32_t zone_row(struct rows *r, const struct probed_image *image, size_t k,
			 uint32_t module)
{
	const struct zone_def *def = &image->list.zones.at[k];
	uint64_t key = hash_two(probed_functions_key(module, def->name), def->address);
	bool fresh;
	uint32_t *at = map_put(&r->row_by_key, key, &fresh);
	struct zone *row = fresh ? NULL : &r->p->zones.at[*at];

	if (!row || row->module != module || row->address != def->address ||
	    strcmp(profile_text(r->p, row->name), def->name)) {
		*at = add_zone(r, image, k, module);
	} else {
		enum exit_way way = exit_of(r->z, image, k);

		if (way != EXIT_UNKNOWN)
			row->exit_way = (uint8_t)add_way(row->exit_way, way);
	}
	return *at;
}

static void add_zones(struct rows *r)
{
	for (size_t i = 0; i < r->z->at.n; i++) {
		const struct probed_image *image = r->z->at.at[i];
		uint32_t module =
			image->list.zones.n ? probed_functions_module(&r->functions, image) : 0;

		for (size_t k = 0; k < image->list.zones.n; k++)
			if (zone_def_is_zone(&image->list.zones.at[k]))
				r->zone_of[image->first + k] = zone_row(r, image, k, module);
	}
}

/* --- places --------------------------------------------------------------------------------- */

/* Whether no place above @node is of its zone: its calls are none of a recursion. */
static bool is_outermost(const struct rows *r, size_t node)
{
	uint32_t edge = r->edge_of[node], zone = r->p->zone_edges.at[edge].zone;

	while (edge) {
		edge = r->p->zone_edges.at[edge].parent;
		if (edge && r->p->zone_edges.at[edge].zone == zone)
			return false;
	}
	return true;
}

static void count_least(uint64_t *least, uint64_t kept)
{
	/* Kept one larger; 0 is none. */
	if (kept && (!*least || kept < *least))
		*least = kept;
}

static void add_to_tally(struct tally *t, const struct wire_zone_stats *n)
{
	t->timed += n->timed;
	t->total_ns += n->total_ns;
	t->self_ns += n->self_ns;
	t->squares += (zone_squares)n->squares.high << 64 | n->squares.low;
	t->self_squares += (zone_squares)n->self_squares.high << 64 | n->self_squares.low;
	count_least(&t->min_ns, n->min_ns);
	count_least(&t->self_min_ns, n->self_min_ns);
	t->max_ns = n->max_ns > t->max_ns ? n->max_ns : t->max_ns;
	t->self_max_ns = n->self_max_ns > t->self_max_ns ? n->self_max_ns : t->self_max_ns;
}

static void add_sums(struct zone *zone, const struct wire_zone_sums *s)
{
	zone->cpu_ns += (int64_t)s->sum[WIRE_SUM_CPU];
	zone->sys_ns += (int64_t)s->sum[WIRE_SUM_SYS];
	zone->user_ns += (int64_t)(s->sum[WIRE_SUM_CPU] - s->sum[WIRE_SUM_SYS]);
	zone->runnable_ns += (int64_t)s->sum[WIRE_SUM_RUNNABLE];
	zone->blocked_ns += (int64_t)s->sum[WIRE_SUM_BLOCKED];
	zone->minflt += s->sum[WIRE_SUM_MINFLT];
	zone->majflt += s->sum[WIRE_SUM_MAJFLT];
	zone->nvcsw += s->sum[WIRE_SUM_NVCSW];
	zone->nivcsw += s->sum[WIRE_SUM_NIVCSW];
	zone->inblock += s->sum[WIRE_SUM_INBLOCK] / 512;
	zone->oublock += s->sum[WIRE_SUM_OUBLOCK] / 512;
}

static void add_events(const struct rows *r, uint32_t zone, const struct wire_zone_sums *s)
{
	for (size_t i = 0; i < r->z->in.o->n_events; i++)
		profile_zone_value(r->p, zone, r->z->in.o->events[i].name,
				   (int64_t)s->sum[WIRE_SUM_EVENT + i]);
}

static void add_thread(struct rows *r, uint32_t zone, const struct probemaps_node *node)
{
	const struct wire_zone_stats *n = &node->is;
	uint32_t row, thread;
	struct zone_in_thread *t;

	if (!node->thread || node->thread >= r->z->thread_of.n ||
	    r->z->thread_of.at[node->thread] == NO_THREAD)
		return;
	thread = assembly_thread(r->a, r->z->thread_of.at[node->thread]);
	row = profile_zone_thread(r->p, zone, thread);
	t = &r->p->zone_threads.at[row];
	if (n->min_ns && (!t->counts || (int64_t)n->min_ns - 1 < t->min_ns))
		t->min_ns = (int64_t)n->min_ns - 1;
	t->max_ns = (int64_t)n->max_ns > t->max_ns ? (int64_t)n->max_ns : t->max_ns;
	t->counts += n->timed + n->unwound + n->untimed;
	t->self_ns += (int64_t)n->self_ns;
}

/* The node's row in the tree of all threads; NO_ROW for what makes no sense. */
static uint32_t place_of(struct rows *r, size_t node, const struct probemaps_node *n)
{
	uint32_t parent = 0;

	if (n->zone >= r->z->used || r->zone_of[n->zone] == NO_ROW)
		return NO_ROW;
	if (n->parent && n->parent < node && r->edge_of[n->parent] != NO_ROW)
		parent = r->edge_of[n->parent];
	return profile_zone_edge(r->p, parent, r->zone_of[n->zone]);
}

_Static_assert((int)WIRE_EXIT_EMULATED == EXIT_AT_EMULATED, "the wire's numbers are the model's");
_Static_assert((int)WIRE_EXIT_STEPPED == EXIT_AT_STEPPED, "the wire's numbers are the model's");

/* What probes at exits saw. */
static void add_exits(struct zone_edge *edge, struct zone *zone, const struct wire_zone_stats *n)
{
	for (int i = 0; i < EXIT_SITES; i++) {
		edge->exits[i] += n->exits[i];
		edge->passed[i] += n->passed[i];
		zone->rets += n->exits[i];
	}
}

/* What other actions' probes took of calls at this node. */
static void add_beside(const struct rows *r, size_t node, struct zone_edge *edge,
		       const struct wire_zone_stats *n)
{
	const struct wire_zone_beside beside = probemaps_beside(r->z->in.session->maps, node);
	const struct zone_beside cost = zone_cost_beside(r->z, &beside);
	uint64_t frames = n->entered > n->untimed ? n->entered - n->untimed : 0;
	double timed = frames > n->timed ? (double)n->timed / (double)frames : 1;

	edge->beside_ns += (int64_t)cost.ns;
	edge->beside_off_ns += (int64_t)cost.off_ns;
	edge->beside_timed_ns += (int64_t)(timed * cost.ns);
}

/* Nothing of it was measured in the window. */
static bool is_empty(const struct probemaps_node *n)
{
	static const struct wire_zone_stats none;

	return !n->open && !memcmp(&n->is, &none, sizeof(none));
}

static void add_counts(struct zone *zone, const struct probemaps_node *n)
{
	zone->counts += n->is.timed + n->is.unwound + n->is.untimed;
	zone->unwound += n->is.unwound;
	zone->untimed += n->is.untimed;
	zone->at_start += n->is.at_start;
	zone->in_flight += n->open;
}

static void add_node(struct rows *r, size_t node)
{
	const struct probemaps_node n = probemaps_node(r->z->in.session->maps, node);
	struct zone_edge *edge;
	struct zone *zone;

	if (is_empty(&n) && !r->needed[node])
		return;
	r->edge_of[node] = place_of(r, node, &n);
	if (r->edge_of[node] == NO_ROW)
		return;
	edge = &r->p->zone_edges.at[r->edge_of[node]];
	edge->counts += n.is.timed + n.is.unwound + n.is.untimed;
	edge->timed += n.is.timed;
	edge->total_ns += (int64_t)n.is.total_ns;
	edge->self_ns += (int64_t)n.is.self_ns;
	zone = &r->p->zones.at[edge->zone];
	add_exits(edge, zone, &n.is);
	add_beside(r, node, edge, &n.is);
	add_counts(zone, &n);
	add_to_tally(&r->tallies[edge->zone], &n.is);
	add_thread(r, edge->zone, &n);
	if (is_outermost(r, node)) {
		struct wire_zone_sums sums = probemaps_sums(r->z->in.session->maps, node);

		zone->total_ns += (int64_t)n.is.total_ns;
		zone->suspended_ns += (int64_t)n.is.suspended_ns;
		add_sums(zone, &sums);
		add_events(r, edge->zone, &sums);
	}
}

/* Nodes that samples are in, or that have calls below them, have rows though nothing of them was
 * measured. */
static void find_needed(struct rows *r)
{
	for (size_t i = 0; i < r->p->samples.n; i++)
		if (r->p->samples.at[i].zone < r->nodes)
			r->needed[r->p->samples.at[i].zone] = true;
	for (size_t i = r->nodes; i-- > 1;) {
		const struct probemaps_node n = probemaps_node(r->z->in.session->maps, i);

		if ((r->needed[i] || !is_empty(&n)) && n.parent < i)
			r->needed[n.parent] = true;
	}
}

/* Calls that were counted by zone alone. */
static void add_counted(struct rows *r)
{
	for (uint32_t i = 0; i < r->z->used; i++) {
		uint64_t n = probemaps_calls(r->z->in.session->maps, i);
		uint32_t edge;

		if (!n || r->zone_of[i] == NO_ROW)
			continue;
		edge = profile_zone_edge(r->p, 0, r->zone_of[i]);
		r->p->zone_edges.at[edge].counts += n;
		r->p->zones.at[r->zone_of[i]].counts += n;
		r->p->zones.at[r->zone_of[i]].untimed += n;
	}
}

/* The time of the outermost calls, for threads. */
static void add_thread_total(struct rows *r, size_t node)
{
	const struct probemaps_node n = probemaps_node(r->z->in.session->maps, node);
	uint32_t edge = r->edge_of[node], row;

	if (edge == NO_ROW || !n.thread || n.thread >= r->z->thread_of.n ||
	    r->z->thread_of.at[n.thread] == NO_THREAD || !is_outermost(r, node))
		return;
	row = profile_zone_thread(r->p, r->p->zone_edges.at[edge].zone,
				  assembly_thread(r->a, r->z->thread_of.at[n.thread]));
	r->p->zone_threads.at[row].total_ns += (int64_t)n.is.total_ns;
}

static void set_times(struct rows *r)
{
	for (uint32_t i = 0; i < r->p->zones.n; i++) {
		const struct tally *t = &r->tallies[i];
		struct zone *zone = &r->p->zones.at[i];

		if (!t->timed)
			continue;
		zone_set_calls(zone, t->timed, t->total_ns, t->squares, (int64_t)t->min_ns - 1,
			       (int64_t)t->max_ns);
		zone_set_self(zone, t->timed, t->self_ns, t->self_squares,
			      (int64_t)t->self_min_ns - 1, (int64_t)t->self_max_ns);
	}
}

static void add_bins(void *context, uint32_t zone, uint32_t octave,
		     const struct wire_zone_bins *bins)
{
	struct rows *r = context;

	if (zone >= r->z->used || r->zone_of[zone] == NO_ROW || octave >= HIST_OCTAVES)
		return;
	for (uint32_t slot = 0; slot < WIRE_ZONE_BINS; slot++)
		if (bins->count[slot])
			profile_zone_hist(r->p, r->zone_of[zone], octave * HIST_SLOTS + slot,
					  bins->count[slot]);
}

/* Samples hold the kernel's node until here. */
static void place_samples(const struct rows *r)
{
	for (size_t i = 0; i < r->p->samples.n; i++) {
		uint32_t node = r->p->samples.at[i].zone;
		uint32_t edge = node < r->nodes ? r->edge_of[node] : 0;

		r->p->samples.at[i].zone = edge == NO_ROW ? 0 : edge;
	}
}

/* --- pseudo-zones ---------------------------------------------------------------------------- */

static void add_pseudo(struct rows *r, const char *name, uint64_t n, uint64_t ns)
{
	struct zone e = {.name = intern_add(&r->p->strings, name),
			 .flags = ZONE_PSEUDO,
			 .counts = n,
			 .total_ns = (int64_t)ns,
			 .self_ns = (int64_t)ns,
			 .calls_ns = (int64_t)ns};

	if (!n)
		return;
	e.mean_ns = e.min_ns = e.max_ns = (int64_t)(ns / n);
	profile_zone(r->p, &e);
}

/* What threads that run coroutines do on their own stacks: they wait for events, or run. */
static void add_pseudos(struct rows *r)
{
	const struct probemaps_own_stack sum = probemaps_own_stack(r->z->in.session->maps);

	add_pseudo(r, "<main>", sum.stays, sum.main_ns);
	add_pseudo(r, "<wait>", sum.waits, sum.wait_ns);
}

void zone_tables_fill(const struct engine *z, struct assembly *a)
{
	struct rows r = {.z = z, .a = a, .p = a->p, .nodes = probemaps_nodes(z->in.session->maps)};

	r.zone_of = mem_zalloc(z->used + 1, sizeof(*r.zone_of));
	r.edge_of = mem_zalloc(r.nodes + 1, sizeof(*r.edge_of));
	r.needed = mem_zalloc(r.nodes + 1, sizeof(*r.needed));
	memset(r.zone_of, 0xff, (z->used + 1) * sizeof(*r.zone_of));
	memset(r.edge_of, 0xff, (r.nodes + 1) * sizeof(*r.edge_of));
	probed_functions_init(&r.functions, z, r.p);
	add_zones(&r);
	r.tallies = mem_zalloc(r.p->zones.n + 1, sizeof(*r.tallies));
	find_needed(&r);
	for (size_t i = 1; i < r.nodes; i++)
		add_node(&r, i);
	add_counted(&r);
	for (size_t i = 1; i < r.nodes; i++)
		add_thread_total(&r, i);
	set_times(&r);
	probemaps_bins(z->in.session->maps, add_bins, &r);
	place_samples(&r);
	add_pseudos(&r);
	profile_add_part(r.p, PART_ZONES); /* though none was called */
	zones_finish(r.p);
	zone_cost_rows(z, r.p);
	zone_ledger_rows(z, r.p);
	free(r.zone_of);
	free(r.edge_of);
	free(r.needed);
	free(r.tallies);
	probed_functions_release(&r.functions);
	map_release(&r.row_by_key);
}
