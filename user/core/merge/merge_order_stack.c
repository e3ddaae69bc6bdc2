/* The order of functions, frames, stacks and reasons. */
#include <stdlib.h>

#include "base/mem.h"
#include "merge/merge_ordering.h"

/* --- functions ------------------------------------------------------------------------------ */

/* A function that has no name is an offset in one build. */
static uint32_t build_of(const struct ordering *o, const struct function *f)
{
	return f->named ? ordered_build(o, f->module) : o->from->modules.at[f->module].build_id;
}

static uint32_t module_of(struct ordering *o, const struct function *f)
{
	const struct module *m = &o->from->modules.at[f->module];

	if (f->named || !f->module)
		return ordered_module(o, f->module);
	return profile_module(o->to, profile_text(o->from, m->path),
			      profile_text(o->from, m->build_id));
}

/* Of equal ones the first tells what else there is: a linkage name rather than none. */
static void set_keys(const struct ordering *o, struct sort_row *r)
{
	const struct function *f = &o->from->functions.at[r->i];
	const uint32_t path = o->from->modules.at[f->module].path;

	r->k[0] = ordered_pair(o, path, build_of(o, f));
	r->k[1] = ordered_pair(o, f->name, f->file);
	r->k[2] = (uint64_t)f->line << 8 | f->kind;
	r->k[3] = (uint64_t)!f->named << 32 | (f->linkage ? o->rank[f->linkage] : UINT32_MAX);
}

static void order_functions(struct ordering *o)
{
	const size_t n = o->from->functions.n;
	_free_ struct sort_row *rows = sort_rows_new(n);

	o->functions = mem_zalloc(n + 1, sizeof(*o->functions));
	for (size_t i = 1; i < n; i++)
		set_keys(o, &rows[i]);
	sort_rows(rows + 1, n - 1);
	for (size_t i = 1; i < n; i++) {
		const struct function *from = &o->from->functions.at[rows[i].i];
		struct function f = *from;

		f.name = ordered_text(o, f.name);
		f.linkage = ordered_text(o, f.linkage);
		f.file = ordered_text(o, f.file);
		f.module = module_of(o, from);
		o->functions[rows[i].i] = profile_function(o->to, &f);
	}
}

/* --- frames and stacks ---------------------------------------------------------------------- */

static void order_frames(struct ordering *o)
{
	const size_t n = o->from->frames.n;
	_free_ struct sort_row *rows = sort_rows_new(n);

	o->frames = mem_zalloc(n + 1, sizeof(*o->frames));
	for (size_t i = 1; i < n; i++) {
		const struct frame *f = &o->from->frames.at[i];

		rows[i].k[0] = (uint64_t)o->functions[f->function] << 32 | f->line;
		rows[i].k[1] = f->address;
		rows[i].k[2] = (uint64_t)f->guessed << 1 | f->inlined;
	}
	sort_rows(rows + 1, n - 1);
	for (size_t i = 1; i < n; i++) {
		struct frame f = o->from->frames.at[rows[i].i];

		f.function = o->functions[f.function];
		o->frames[rows[i].i] = profile_frame(o->to, &f);
	}
}

static uint32_t add_node(struct ordering *o, uint32_t row, uint32_t parent, uint32_t frame)
{
	(void)row;
	return profile_node(o->to, parent, frame);
}

static void order_nodes(struct ordering *o)
{
	const size_t n = o->from->nodes.n;
	_free_ uint32_t *parent = mem_zalloc(n, sizeof(*parent));
	_free_ uint32_t *label = mem_zalloc(n, sizeof(*label));

	for (size_t i = 1; i < n; i++) {
		parent[i] = o->from->nodes.at[i].parent;
		label[i] = o->frames[o->from->nodes.at[i].frame];
	}
	o->nodes = order_tree(o, &(struct tree_shape){parent, label, n}, add_node);
}

/* --- reasons -------------------------------------------------------------------------------- */

static void order_reasons(struct ordering *o)
{
	const size_t n = o->from->reasons.n;
	_free_ struct sort_row *rows = sort_rows_new(n);

	o->reasons = mem_zalloc(n + 1, sizeof(*o->reasons));
	for (size_t i = 1; i < n; i++) {
		const struct reason *r = &o->from->reasons.at[i];

		rows[i].k[0] = (uint64_t)r->kind << 16 | (uint64_t)r->idle << 8 | r->state;
		rows[i].k[1] = ordered_pair(o, r->call, r->object);
	}
	if (n)
		sort_rows(rows + 1, n - 1);
	for (size_t i = 1; i < n; i++) {
		struct reason r = o->from->reasons.at[rows[i].i];

		r.call = ordered_text(o, r.call);
		r.object = ordered_text(o, r.object);
		o->reasons[rows[i].i] = profile_reason(o->to, &r);
	}
}

void order_stacks(struct ordering *o)
{
	order_functions(o);
	order_frames(o);
	order_nodes(o);
	order_reasons(o);
}
