/* The adders of profile.h. */
#include <assert.h>
#include <string.h>

#include "model/hist.h"
#include "model/process.h"
#include "model/profile.h"
#include "model/row.h"

uint32_t profile_module(struct profile *p, const char *path, const char *build_id)
{
	struct module e = {
		.path = intern_add(&p->strings, path),
		.build_id = intern_add(&p->strings, build_id),
	};

	vec_push(&p->modules, e);
	return row_put(p, TABLE_modules);
}

uint32_t profile_function(struct profile *p, const struct function *e)
{
	vec_push(&p->functions, *e);
	return row_put(p, TABLE_functions);
}

uint8_t profile_frame_kind(const struct profile *p, const struct frame *e)
{
	const struct function *f = &p->functions.at[e->function];

	return e->inlined ? KIND_INLINED : f->kind;
}

uint32_t profile_frame(struct profile *p, const struct frame *e)
{
	struct frame frame = *e;

	frame.kind = profile_frame_kind(p, e);
	vec_push(&p->frames, frame);
	return row_put(p, TABLE_frames);
}

uint32_t profile_node(struct profile *p, uint32_t parent, uint32_t frame)
{
	assert(parent < p->nodes.n);
	vec_push(&p->nodes, ((struct node){.parent = parent, .frame = frame}));
	return row_put(p, TABLE_nodes);
}

uint32_t profile_reason(struct profile *p, const struct reason *e)
{
	if (!p->reasons.n)
		vec_add(&p->reasons);
	vec_push(&p->reasons, *e);
	return row_put(p, TABLE_reasons);
}

uint32_t profile_process(struct profile *p, const struct process *e)
{
	vec_push(&p->processes, *e);
	return row_put(p, TABLE_processes);
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

void profile_note(struct profile *p, const char *name, uint64_t n)
{
	if (n)
		profile_ledger(p, LEDGER_FIRST(p), LEDGER_NOTE, name, (int64_t)n);
}

uint32_t profile_ledger_of(const struct profile *p, uint32_t metric)
{
	if (metric >= p->metrics.n || !profile_text(p, p->metrics.at[metric].ledger)[0])
		return metric;
	for (uint32_t i = 0; i < p->metrics.n; i++)
		if (p->metrics.at[i].name == p->metrics.at[metric].ledger)
			return i;
	return metric;
}

const char *profile_ledger_name(const struct profile *p, uint32_t metric)
{
	return metric == LEDGER_ZONES	 ? "calls of zones"
	       : metric == LEDGER_WAITS	 ? "waits off the CPU"
	       : metric == LEDGER_EVENTS ? "events"
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

/* Finds or adds the zone's function, by which flame graphs and tables name and colour the zone. */
static uint32_t function_of(struct profile *p, const struct zone *z)
{
	return profile_function(p, &(struct function){
					   .name = z->name,
					   .file = z->src_file,
					   .line = z->src_line,
					   .module = z->module,
					   .kind = z->flags & ZONE_PSEUDO ? KIND_MARK : KIND_NATIVE,
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
	assert(parent < p->zone_edges.n && zone < p->zones.n);
	vec_push(&p->zone_edges, ((struct zone_edge){.parent = parent, .zone = zone}));
	return row_put(p, TABLE_zone_edges);
}

uint32_t profile_zone_thread(struct profile *p, uint32_t zone, uint32_t thread)
{
	assert(zone < p->zones.n);
	vec_push(&p->zone_threads, ((struct zone_in_thread){.zone = zone, .thread = thread}));
	return row_put(p, TABLE_zone_threads);
}

uint32_t profile_zone_hist(struct profile *p, uint32_t zone, uint32_t bin, uint64_t count)
{
	struct zone_bin e = {.zone = zone, .low_ns = hist_low(bin), .high_ns = hist_high(bin)};
	uint32_t row;

	assert(zone < p->zones.n && bin < HIST_BINS);
	vec_push(&p->zone_hist, e);
	row = row_put(p, TABLE_zone_hist);
	p->zone_hist.at[row].count += count;
	return row;
}

uint32_t profile_zone_value(struct profile *p, uint32_t zone, const char *name, int64_t value)
{
	struct zone_value e = {.zone = zone, .name = intern_add(&p->strings, name)};
	uint32_t row;

	assert(zone < p->zones.n);
	vec_push(&p->zone_values, e);
	row = row_put(p, TABLE_zone_values);
	p->zone_values.at[row].value += value;
	return row;
}
