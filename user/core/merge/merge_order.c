/*
 * merge_order(): the merged rows in an order that does not tell who came first. Each table is
 * sorted by what its rows say, texts by their bytes; trees level by level, so that a parent stands
 * before its children. The captures are ordered by when they started, and samples and windows take
 * their places on the axis of time that this makes.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "merge/merge_ordering.h"

static int by_text(const void *left, const void *right, void *strings)
{
	return strcmp(intern_text(strings, *(const uint32_t *)left),
		      intern_text(strings, *(const uint32_t *)right));
}

/* Each string once, so there are no equal ones; "" is the first. */
static void rank_texts(struct ordering *o)
{
	const size_t n = intern_count(&o->from->strings);
	_free_ uint32_t *order = mem_zalloc(n, sizeof(*order));

	o->rank = mem_zalloc(n, sizeof(*o->rank));
	o->texts = mem_zalloc(n, sizeof(*o->texts));
	for (uint32_t i = 0; i < n; i++)
		order[i] = i;
	qsort_r(order, n, sizeof(*order), by_text, (void *)&o->from->strings);
	for (uint32_t i = 0; i < n; i++)
		o->rank[order[i]] = i;
}

static void find_builds(struct ordering *o)
{
	for (size_t i = 1; i < o->from->modules.n; i++) {
		const struct module *m = &o->from->modules.at[i];
		bool fresh;
		uint32_t *build = map_put(&o->builds, m->path, &fresh);

		*build = fresh || *build == m->build_id ? m->build_id : BUILDS_SEVERAL;
	}
}

static int by_key(const void *left, const void *right, void *profile)
{
	const struct attr *a = left, *b = right;

	return strcmp(profile_text(profile, a->key), profile_text(profile, b->key));
}

static void add_attrs(struct ordering *o)
{
	struct profile *p = o->m->p;

	if (p->meta.n)
		qsort_r(p->meta.at, p->meta.n, sizeof(*p->meta.at), by_key, p);
	if (p->run.n)
		qsort_r(p->run.at, p->run.n, sizeof(*p->run.at), by_key, p);
	for (size_t i = 0; i < p->meta.n; i++)
		profile_set_meta(o->to, profile_text(p, p->meta.at[i].key),
				 profile_text(p, p->meta.at[i].text));
	for (size_t i = 0; i < p->run.n; i++)
		profile_set_run(o->to, profile_text(p, p->run.at[i].key),
				profile_text(p, p->run.at[i].text));
	o->to->hz = p->hz;
	o->to->parts = p->parts;
}

static void release(struct ordering *o)
{
	uint32_t *numbers[] = {o->rank,	 o->texts,   o->functions, o->frames,
			       o->nodes, o->threads, o->metrics,   o->reasons,
			       o->zones, o->edges,   o->origins};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		free(numbers[i]);
	map_release(&o->builds);
}

struct profile *merge_order(struct merge *m)
{
	struct ordering o = {.m = m, .from = m->p, .to = profile_new()};

	rank_texts(&o);
	find_builds(&o);
	add_attrs(&o);
	order_origins(&o);
	order_stacks(&o);
	order_threads(&o);
	order_zones(&o);
	order_source(&o);
	order_samples(&o);
	release(&o);
	return o.to;
}
