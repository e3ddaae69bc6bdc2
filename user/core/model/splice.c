#include "model/splice.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "model/cell.h"
#include "model/row.h"
#include "model/rows.h"

void splice_init(struct splice *s)
{
	*s = (struct splice){.p = profile_new()};
}

void splice_release(struct splice *s)
{
	profile_free(s->p);
	map_release(&s->process_by_key);
	vec_release(&s->processes);
	*s = (struct splice){0};
}

void splice_seed(const struct splice *s, struct profile *p)
{
	struct rows r;

	rows_init(&r, s->p, p, NULL);
	for (uint32_t i = 1; i < s->p->functions.n; i++)
		(void)rows_need(&r, TABLE_functions, i);
	rows_release(&r);
}

/* --- processes -------------------------------------------------------------------------------- */

static void know_process(struct splice *s, const struct thread *t)
{
	const uint32_t at = map_number(&s->process_by_key, process_key(t), s->processes.n);

	if (at == s->processes.n)
		vec_add(&s->processes);
	s->processes.at[at] = (struct splice_process){t->process, t->cgroup};
}

static void know_processes(struct splice *s, struct rows *r)
{
	for (uint32_t i = 0; i < r->from->threads.n; i++)
		know_process(s, &s->p->threads.at[rows_need(r, TABLE_threads, i)]);
}

/* --- tables of the whole capture up to a window ----------------------------------------------- */

/* The rows of running tables before the window that is added, and their new numbers: their keys
 * stay, but new rows come between them, and samples of earlier windows refer to them. */
struct stale {
	struct any_vec rows[TABLES];
	uint32_t *number[TABLES]; /* NULL: unchanged */
};

static void set_aside(struct profile *p, const struct table_place *t, struct stale *old)
{
	const enum table_id id = table_id_of(t);
	struct any_vec *v = table_vec(t, p);

	old->rows[id] = *v;
	*v = (struct any_vec){0};
	row_index_reset(p, id);
	if (t->table->none && old->rows[id].n)
		row_push(p, id, old->rows[id].at);
}

/* Finds an old row by its keys, or adds it without its counts: new rows include them. */
static uint32_t find(struct profile *p, const struct table_place *t, const char *row,
		     struct map *seen)
{
	const enum table_id id = table_id_of(t);
	const size_t rows = table_vec(t, p)->n;
	uint32_t nth = 0, found;
	bool fresh;

	row_push(p, id, row);
	if (t->table->alike)
		nth = (*map_put(seen, row_last_key(p, id), &fresh))++;
	found = row_put_nth(p, id, nth);
	if (found == rows)
		row_clear(t->table, table_vec(t, p)->at + rows * t->table->row_bytes);
	return found;
}

static void find_again(struct profile *p, const struct table_place *t, struct stale *old)
{
	const enum table_id id = table_id_of(t);
	const struct any_vec *v = &old->rows[id];
	const size_t bytes = t->table->row_bytes;
	uint32_t *number = mem_zalloc(v->n + 1, sizeof(*number));
	struct map seen = {0};
	bool moved = false;

	for (uint32_t i = t->table->none; i < v->n; i++) {
		char *row = v->at + i * bytes;

		old->number[id] = number; /* a parent is an earlier row */
		(void)row_renumber(t->table, row, old->number);
		number[i] = find(p, t, row, &seen);
		moved |= number[i] != i;
	}
	map_release(&seen);
	old->number[id] = moved ? number : NULL;
	if (!moved)
		free(number);
}

static bool is_referred_to(enum table_id id)
{
	for (const struct table_place *t = profile_tables; t->table; t++)
		for (size_t i = 0; i < t->table->n_columns; i++)
			if (t->table->columns[i].refers == id)
				return true;
	return false;
}

static void take_running(struct rows *r, const struct table_place *t, struct stale *old)
{
	const enum table_id id = table_id_of(t);

	if (!profile_has(r->from, t->table->part))
		return;
	set_aside(r->to, t, old);
	rows_take(r, id);
	if (is_referred_to(id))
		find_again(r->to, t, old);
}

/* @whole: cumulative tables are of the whole capture. */
static void take_tables(struct rows *r, bool whole)
{
	struct stale old = {0};

	for (const struct table_place *t = profile_tables; t->table; t++) {
		const enum table_id id = table_id_of(t);
		struct any_vec *v = table_vec(t, r->to);
		bool renumbered = false;

		if ((r->from->running && t->table->running) || (whole && t->table->cumulative)) {
			take_running(r, t, &old);
			continue;
		}
		for (size_t i = 0; i < v->n; i++)
			renumbered |=
				row_renumber(t->table, v->at + i * t->table->row_bytes, old.number);
		if (renumbered)
			row_index_reset(r->to, id);
		rows_take_in(r, id, NULL);
	}
	for (size_t i = 0; i < TABLES; i++) {
		free(old.rows[i].at);
		free(old.number[i]);
	}
}

/* --- windows ---------------------------------------------------------------------------------- */

static bool same_metrics(const struct profile *p, const struct profile *next)
{
	bool same = p->metrics.n == next->metrics.n;

	for (size_t i = 0; same && i < p->metrics.n; i++)
		same = !strcmp(profile_text(p, p->metrics.at[i].name),
			       profile_text(next, next->metrics.at[i].name));
	return same;
}

static int add(struct splice *s, const struct profile *next, bool whole)
{
	const int64_t before_ns = s->p->duration_ns;
	struct rows r;

	if (s->added && !same_metrics(s->p, next))
		return err(-EINVAL, "a window of another capture");
	s->added = true;
	rows_init(&r, next, s->p, NULL);
	r.windows = true;
	take_tables(&r, whole);
	know_processes(s, &r);
	profile_copy_attributes(next, s->p);
	/* Windows follow each other. */
	if (!next->running &&
	    __builtin_add_overflow(before_ns, next->duration_ns, &s->p->duration_ns))
		s->p->duration_ns = INT64_MAX;
	s->running |= next->running;
	s->p->hz = next->hz;
	s->p->parts |= next->parts;
	rows_release(&r);
	return 0;
}

int splice_add(struct splice *s, const struct profile *next)
{
	return add(s, next, false);
}

int splice_add_last(struct splice *s, const struct profile *next)
{
	return add(s, next, true);
}

struct profile *splice_finish(struct splice *s)
{
	struct profile *p = s->p;

	rows_derive(p, s->running);
	for (size_t i = 0; i < p->threads.n; i++) {
		struct thread *t = &p->threads.at[i];
		const struct splice_process *process =
			&s->processes.at[*map_get(&s->process_by_key, process_key(t))];

		t->process = process->name;
		t->cgroup = process->cgroup;
	}
	s->p = NULL;
	splice_release(s);
	return p;
}
