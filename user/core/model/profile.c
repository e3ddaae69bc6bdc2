#include "model/profile.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "model/hist.h"
#include "model/meta.h"

struct profile *profile_new(void)
{
	struct profile *p = mem_zalloc(1, sizeof(*p));
	uint32_t root = intern_add(&p->strings, "root");

	assert(root == PROFILE_ROOT_NAME);
	(void)root;
	vec_add(&p->modules);
	vec_add(&p->functions);
	vec_add(&p->frames);
	vec_add(&p->nodes);
	vec_add(&p->zone_edges)->zone = ZONE_NONE;
	return p;
}

void profile_free(struct profile *p)
{
	if (!p)
		return;
	intern_release(&p->strings);
	for (const struct table_place *t = profile_tables; t->table; t++)
		free(table_vec(t, p)->at);
	for (size_t i = 0; i < p->samples.values.n; i++)
		vec_release(&p->samples.values.at[i]);
	vec_release(&p->samples.values);
	vec_release(&p->meta);
	vec_release(&p->run);
	map_release(&p->module_by_key);
	map_release(&p->function_by_key);
	map_release(&p->frame_by_key);
	map_release(&p->node_by_key);
	map_release(&p->reason_by_key);
	map_release(&p->zone_edge_by_key);
	map_release(&p->zone_thread_by_key);
	map_release(&p->zone_bin_by_key);
	map_release(&p->zone_value_by_key);
	free(p);
}

/* How a table tells its entries apart: by key, and where keys of different ones may be equal,
 * by same. */
struct identity {
	uint64_t (*key)(const struct profile *, uint32_t i);
	bool (*same)(const struct profile *, uint32_t a, uint32_t b); /* NULL: keys are exact */
};

static uint64_t module_key(const struct profile *p, uint32_t i)
{
	return (uint64_t)p->modules.at[i].path << 32 | p->modules.at[i].build_id;
}

static uint64_t function_key(const struct profile *p, uint32_t i)
{
	const struct function *f = &p->functions.at[i];

	return hash_two((uint64_t)f->name << 32 | f->file,
			((uint64_t)f->line << 32 | f->module) ^ (uint64_t)f->kind << 56);
}

static bool function_same(const struct profile *p, uint32_t a, uint32_t b)
{
	const struct function *f = &p->functions.at[a], *g = &p->functions.at[b];

	return f->name == g->name && f->file == g->file && f->line == g->line &&
	       f->module == g->module && f->kind == g->kind;
}

static uint64_t frame_key(const struct profile *p, uint32_t i)
{
	const struct frame *f = &p->frames.at[i];

	return hash_two((uint64_t)f->function << 32 | f->line,
			f->address << 2 ^ (uint64_t)f->guessed << 1 ^ f->inlined);
}

static bool frame_same(const struct profile *p, uint32_t a, uint32_t b)
{
	const struct frame *f = &p->frames.at[a], *g = &p->frames.at[b];

	return f->function == g->function && f->line == g->line && f->inlined == g->inlined &&
	       f->guessed == g->guessed && f->address == g->address;
}

static uint64_t node_key(const struct profile *p, uint32_t i)
{
	return (uint64_t)p->nodes.at[i].parent << 32 | p->nodes.at[i].frame;
}

static uint64_t reason_key(const struct profile *p, uint32_t i)
{
	const struct reason *r = &p->reasons.at[i];

	return hash_two((uint64_t)r->call << 32 | r->object,
			(uint64_t)r->kind << 16 | (uint64_t)r->idle << 8 | r->state);
}

static bool reason_same(const struct profile *p, uint32_t a, uint32_t b)
{
	const struct reason *r = &p->reasons.at[a], *s = &p->reasons.at[b];

	return r->kind == s->kind && r->idle == s->idle && r->state == s->state &&
	       r->call == s->call && r->object == s->object;
}

static uint64_t zone_edge_key(const struct profile *p, uint32_t i)
{
	return (uint64_t)p->zone_edges.at[i].parent << 32 | p->zone_edges.at[i].zone;
}

static uint64_t zone_thread_key(const struct profile *p, uint32_t i)
{
	return (uint64_t)p->zone_threads.at[i].zone << 32 | p->zone_threads.at[i].thread;
}

static uint64_t zone_bin_key(const struct profile *p, uint32_t i)
{
	const struct zone_bin *b = &p->zone_hist.at[i];

	return (uint64_t)b->zone << 32 | hist_bin((uint64_t)b->low_ns);
}

static uint64_t zone_value_key(const struct profile *p, uint32_t i)
{
	return (uint64_t)p->zone_values.at[i].zone << 32 | p->zone_values.at[i].name;
}

/* The entry equal to entry @i, which becomes known itself where there is none. */
static uint32_t first_equal(const struct profile *p, struct map *m, struct identity id, uint32_t i)
{
	for (uint64_t key = id.key(p, i);; key++) {
		bool fresh;
		uint32_t *value = map_put(m, key, &fresh);

		if (fresh)
			return *value = i;
		if (!id.same || id.same(p, *value, i))
			return *value;
	}
}

/* Settles the entry just pushed as the last of @n: keeps it, or drops it for an earlier equal
 * one. A map still empty (new profile, or one that was read) learns the table first. */
static uint32_t settle(const struct profile *p, struct map *m, struct identity id, size_t *n)
{
	uint32_t last = *n - 1, found;

	assert(*n <= UINT32_MAX);
	if (!m->n)
		for (uint32_t i = 0; i < last; i++)
			first_equal(p, m, id, i);
	found = first_equal(p, m, id, last);
	if (found != last)
		--*n;
	return found;
}

/* Whether another path than @path ends in "/@end". */
static bool is_shared_end(const struct profile *p, const char *path, const char *end)
{
	const size_t n = strlen(end);

	for (size_t i = 1; i < p->modules.n; i++) {
		const char *other = profile_text(p, p->modules.at[i].path);
		const size_t m = strlen(other);

		if (m > n && other[m - n - 1] == '/' && !strcmp(other + m - n, end) &&
		    strcmp(other, path) != 0)
			return true;
	}
	return false;
}

const char *profile_module_name(const struct profile *p, uint32_t module)
{
	const char *path = profile_text(p, p->modules.at[module].path), *name = str_base(path);

	while (name > path && is_shared_end(p, path, name))
		for (name--; name > path && name[-1] != '/'; name--)
			;
	return name;
}

uint32_t profile_module(struct profile *p, const char *path, const char *build_id)
{
	static const struct identity id = {module_key, NULL};
	struct module e = {
		.path = intern_add(&p->strings, path),
		.build_id = intern_add(&p->strings, build_id),
	};

	vec_push(&p->modules, e);
	return settle(p, &p->module_by_key, id, &p->modules.n);
}

uint32_t profile_function(struct profile *p, const struct function *e)
{
	static const struct identity id = {function_key, function_same};

	vec_push(&p->functions, *e);
	return settle(p, &p->function_by_key, id, &p->functions.n);
}

uint32_t profile_frame(struct profile *p, const struct frame *e)
{
	static const struct identity id = {frame_key, frame_same};

	vec_push(&p->frames, *e);
	return settle(p, &p->frame_by_key, id, &p->frames.n);
}

uint32_t profile_node(struct profile *p, uint32_t parent, uint32_t frame)
{
	static const struct identity id = {node_key, NULL};

	assert(parent < p->nodes.n);
	vec_push(&p->nodes, ((struct node){.parent = parent, .frame = frame}));
	return settle(p, &p->node_by_key, id, &p->nodes.n);
}

uint32_t profile_reason(struct profile *p, const struct reason *e)
{
	static const struct identity id = {reason_key, reason_same};

	if (!p->reasons.n)
		vec_add(&p->reasons);
	vec_push(&p->reasons, *e);
	return settle(p, &p->reason_by_key, id, &p->reasons.n);
}

uint32_t profile_thread(struct profile *p, const struct thread *e)
{
	vec_push(&p->threads, *e);
	return p->threads.n - 1;
}

uint32_t profile_metric(struct profile *p, const char *name, const char *unit,
			enum metric_kind kind)
{
	struct metric e = {
		.name = intern_add(&p->strings, name),
		.unit = intern_add(&p->strings, unit),
		.kind = kind,
	};

	assert(!p->samples.n);
	profile_add_part(p, PART_SAMPLES);
	vec_push(&p->metrics, e);
	vec_add(&p->samples.values);
	return p->metrics.n - 1;
}

void profile_metric_base(struct profile *p, uint32_t metric, const char *base)
{
	p->metrics.at[metric].base = intern_add(&p->strings, base);
}

void profile_sample(struct profile *p, uint64_t time_ns, uint32_t thread, uint32_t node,
		    const int64_t *values)
{
	vec_push(&p->samples,
		 ((struct sample){.time_ns = time_ns, .thread = thread, .node = node}));
	for (size_t m = 0; m < p->metrics.n; m++)
		vec_push(&p->samples.values.at[m], values[m]);
}

void profile_sample_zone(struct profile *p, size_t row, uint32_t edge)
{
	assert(row < p->samples.n);
	p->samples.at[row].zone = edge;
}

void profile_sample_reason(struct profile *p, size_t row, uint32_t reason)
{
	assert(row < p->samples.n && reason < (p->reasons.n ? p->reasons.n : 1));
	p->samples.at[row].reason = reason;
}

void profile_sample_wait(struct profile *p, size_t row, uint64_t wait_ns)
{
	assert(row < p->samples.n);
	p->samples.at[row].wait_ns = wait_ns;
}

void profile_ledger(struct profile *p, uint32_t metric, enum ledger_class class, const char *name,
		    int64_t count)
{
	struct ledger_row row = {
		.name = intern_add(&p->strings, name),
		.metric = metric,
		.class = class,
		.count = count,
	};

	vec_push(&p->ledger, row);
}

const char *profile_ledger_name(const struct profile *p, uint32_t metric)
{
	return metric == LEDGER_ZONES	? "calls of zones"
	       : metric == LEDGER_WAITS ? "waits off the CPU"
					: profile_text(p, p->metrics.at[metric].name);
}

void profile_ledger_lose(struct profile *p, uint32_t metric, const char *name, int64_t n)
{
	if (n <= 0)
		return;
	for (size_t i = 0; i < p->ledger.n; i++)
		if (p->ledger.at[i].class == LEDGER_KEPT && p->ledger.at[i].metric == metric)
			p->ledger.at[i].count -= n;
	profile_ledger(p, metric, LEDGER_LOST, name, n);
}

void profile_cost(struct profile *p, const char *name, const char *unit, double value)
{
	struct cost_row row = {
		.name = intern_add(&p->strings, name),
		.unit = intern_add(&p->strings, unit),
		.value = value,
	};

	vec_push(&p->cost, row);
}

double profile_cost_of(const struct profile *p, const char *name)
{
	for (size_t i = 0; i < p->cost.n; i++) {
		if (!strcmp(profile_text(p, p->cost.at[i].name), name))
			return p->cost.at[i].value;
	}
	return 0;
}

/* Flame graphs and tables of zones colour and name functions. */
static uint32_t function_of(struct profile *p, const struct zone *z)
{
	return profile_function(p, &(struct function){
					   .name = z->name,
					   .file = z->src_file,
					   .line = z->src_line,
					   .module = z->module,
					   .kind = z->flags & ZONE_PSEUDO ? CODE_MARK : CODE_USER,
					   .named = 1,
				   });
}

uint32_t profile_zone(struct profile *p, const struct zone *e)
{
	uint32_t row = p->zones.n;

	profile_add_part(p, PART_ZONES);
	vec_push(&p->zones, *e);
	if (!e->function)
		p->zones.at[row].function = function_of(p, e);
	return row;
}

uint32_t profile_zone_edge(struct profile *p, uint32_t parent, uint32_t zone)
{
	static const struct identity id = {zone_edge_key, NULL};

	assert(parent < p->zone_edges.n && zone < p->zones.n);
	vec_push(&p->zone_edges, ((struct zone_edge){.parent = parent, .zone = zone}));
	return settle(p, &p->zone_edge_by_key, id, &p->zone_edges.n);
}

uint32_t profile_zone_thread(struct profile *p, uint32_t zone, uint32_t thread)
{
	static const struct identity id = {zone_thread_key, NULL};

	assert(zone < p->zones.n);
	vec_push(&p->zone_threads, ((struct zone_in_thread){.zone = zone, .thread = thread}));
	return settle(p, &p->zone_thread_by_key, id, &p->zone_threads.n);
}

uint32_t profile_zone_hist(struct profile *p, uint32_t zone, uint32_t bin, uint64_t count)
{
	static const struct identity id = {zone_bin_key, NULL};
	struct zone_bin e = {.zone = zone, .low_ns = hist_low(bin), .high_ns = hist_high(bin)};
	uint32_t row;

	assert(zone < p->zones.n && bin < HIST_BINS);
	vec_push(&p->zone_hist, e);
	row = settle(p, &p->zone_bin_by_key, id, &p->zone_hist.n);
	p->zone_hist.at[row].count += count;
	return row;
}

uint32_t profile_zone_value(struct profile *p, uint32_t zone, const char *name, int64_t value)
{
	static const struct identity id = {zone_value_key, NULL};
	struct zone_value e = {.zone = zone, .name = intern_add(&p->strings, name)};
	uint32_t row;

	assert(zone < p->zones.n);
	vec_push(&p->zone_values, e);
	row = settle(p, &p->zone_value_by_key, id, &p->zone_values.n);
	p->zone_values.at[row].value += value;
	return row;
}

uint32_t profile_main_module(const struct profile *p)
{
	const char *command = profile_run(p, RUN_COMMAND);
	_free_ char *program = str_program(command ? command : "");

	for (uint32_t i = 1; *program && i < p->modules.n; i++)
		if (!strcmp(str_base(profile_text(p, p->modules.at[i].path)), program))
			return i;
	return 0;
}
