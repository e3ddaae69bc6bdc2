/* The table of threads or processes of a selection: see tree.h. */
#include <stdlib.h>
#include <string.h>

#include "query/filter.h"
#include "query/spread.h"
#include "query/tree.h"

/* The key fields of a thread's row. Entries of one thread under several names have a row each, and
 * so have processes that had the same pid one after another, if the profile tells them apart. */
static struct thread_row row_of(const struct profile *p, const struct thread *t, bool by_process)
{
	return (struct thread_row){
		.pid = t->pid,
		.tid = by_process ? 0 : t->tid,
		.name = by_process ? t->process : t->name,
		.cgroup = t->cgroup,
		.born_ns = p->processes.n ? t->born_ns : 0,
	};
}

static bool same_row(const struct thread_row *a, const struct thread_row *b)
{
	return a->pid == b->pid && a->tid == b->tid && a->name == b->name &&
	       a->born_ns == b->born_ns;
}

static uint32_t find_row(struct thread_rows *rows, struct map *known, struct thread_row row)
{
	for (uint64_t key = hash_two((uint64_t)row.pid << 32 | row.tid, row.name ^ row.born_ns);;
	     key++) {
		const uint32_t at = map_number(known, key, rows->rows.n);

		if (at == rows->rows.n)
			vec_push(&rows->rows, row);
		if (same_row(&rows->rows.at[at], &row))
			return at;
	}
}

/* @row_at: per thread of the profile. */
static void add_margins(const struct filter *f, const struct spread *known, const uint32_t *row_at,
			struct thread_rows *out)
{
	const struct samples *s = &f->profile->samples;
	_free_ uint32_t *row_of = mem_zalloc(s->n + 1, sizeof(*row_of));
	_free_ double *margins = NULL;

	for (size_t i = 0; i < s->n; i++)
		row_of[i] = row_at[s->at[i].thread];
	margins = spread_of_rows(f, known, row_of, out->rows.n);
	for (size_t i = 0; i < out->rows.n; i++)
		out->rows.at[i].margin = margins[i];
}

static void add_rows(const struct filter *f, const struct wait_classes *classes,
		     const struct spread *known, bool by_process, struct thread_rows *out)
{
	const struct profile *p = f->profile;
	_free_ uint32_t *row_at = mem_zalloc(p->threads.n + 1, sizeof(*row_at));
	struct map by_id = {0};

	for (size_t i = 0; i < p->threads.n; i++)
		row_at[i] = find_row(out, &by_id, row_of(p, &p->threads.at[i], by_process));
	for (size_t i = 0; i < p->samples.n; i++) {
		int64_t value = filter_value(f, i);
		struct thread_row *row = &out->rows.at[row_at[p->samples.at[i].thread]];

		row->value += value;
		row->active += wait_class_is_active(classes->of[i]) ? value : 0;
		row->samples += value != 0;
	}
	vec_each (w, &p->thread_waits) {
		if (!f->thread || f->thread[w->thread])
			thread_wait_add(&out->rows.at[row_at[w->thread]].spent, w);
	}
	add_margins(f, known, row_at, out);
	map_release(&by_id);
}

static void drop_empty(struct thread_rows *rows, bool idle)
{
	size_t kept = 0;

	vec_each (r, &rows->rows) {
		if (r->samples || (idle && thread_wait_life(&r->spent)))
			rows->rows.at[kept++] = *r;
	}
	rows->rows.n = kept;
}

/* Threads that had nothing to do stand behind those that worked, however long they waited. */
static int by_activity(const void *left, const void *right, void *profile)
{
	const struct thread_row *a = left, *b = right;
	const struct profile *p = profile;

	return order_down(a->active, b->active) ?:
	       order_down(a->value, b->value) ?:
	       order_down(a->samples, b->samples) ?:
	       order_up(a->pid, b->pid) ?:
	       order_up(a->tid, b->tid) ?:
	       strcmp(profile_text(p, a->name), profile_text(p, b->name));
}

int threads_build(const struct profile *p, const struct selection *sel, const struct tree *known,
		  bool by_process, struct thread_rows *out)
{
	const bool narrow = sel->focus || sel->ignore || sel->module || sel->file || sel->zone ||
			    sel->from_ns || sel->to_ns;
	struct wait_classes own = {0};
	struct filter filter;
	int rc = filter_init(&filter, p, sel);

	*out = (struct thread_rows){0};
	if (!rc)
		add_rows(&filter, wait_classes_of(p, sel->waits, &own),
			 known ? known->spread : NULL, by_process, out);
	filter_release(&filter);
	wait_classes_release(&own);
	drop_empty(out, !narrow);
	vec_sort_by(&out->rows, by_activity, p);
	return rc;
}

void threads_release(struct thread_rows *rows)
{
	vec_release(&rows->rows);
}
