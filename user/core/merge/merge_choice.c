/* Applies a choice of time or threads to the profile that is added. */
#include <errno.h>
#include <stdlib.h>

#include "base/mem.h"
#include "merge/merge_state.h"
#include "model/cell.h"
#include "select/threads_choose.h"

/* Chooses the threads that the key matches, as --thread or --pid would. There may be none. */
static int choose_threads(struct merge_next *n)
{
	const char *key = n->m->choice.key;
	_free_ bool *by_pid = NULL;
	int rc;

	if (!key)
		return 0;
	rc = threads_choose(n->from, &(struct thread_choice){.pid = key}, &by_pid);
	if (!rc || rc == -ENOENT)
		rc = threads_choose(n->from, &(struct thread_choice){.thread = key}, &n->threads);
	if (rc && rc != -ENOENT)
		return rc;
	if (!n->threads)
		n->threads = mem_zalloc(n->from->threads.n + 1, sizeof(*n->threads));
	for (size_t i = 0; by_pid && i < n->from->threads.n; i++)
		n->threads[i] |= by_pid[i];
	return 0;
}

/* Whether a row in time is taken: its times and its threads are. */
static bool is_taken(const struct merge_next *n, const struct table *t, const char *row)
{
	uint64_t in_ns;

	for (size_t i = 0; i < t->n_columns; i++) {
		const struct column *c = &t->columns[i];

		if (c->time && !merge_span_of(n, cell_u64(c, row), &in_ns))
			return false;
		if (c->refers == TABLE_threads && n->threads && !n->threads[cell_u32(c, row)])
			return false;
	}
	return true;
}

static void say_left_out(struct merge *m, const struct table *t)
{
	const char *words = t->words ? t->words : t->name;

	if (!strstr(str_text(&m->left_out), words))
		str_addf(&m->left_out, "%s%s", m->left_out.n ? ", " : "", words);
}

static void choose_rows(struct merge_next *n, const struct table_place *t)
{
	const enum table_id id = table_id_of(t);
	const struct any_vec *v = table_vec(t, n->from);
	const bool in_time = t->table->rows == ROWS_EVENTS;

	n->takes[id] = mem_zalloc(v->n + 1, sizeof(*n->takes[id]));
	n->rows.takes[id] = n->takes[id];
	for (size_t i = 0; i < v->n; i++) {
		const char *row = v->at + i * t->table->row_bytes;

		n->takes[id][i] =
			in_time ? is_taken(n, t->table, row) : t->table->lasts(n->from, row);
		if (!in_time && !n->takes[id][i])
			say_left_out(n->m, t->table);
	}
}

/* Leaves out sums, which are of whole captures: only the keys of rows that rows in time refer to
 * are taken, and the ledger: merge_cut_ledger(). */
static void cut(struct merge_next *n, const struct table_place *t)
{
	const enum table_id id = table_id_of(t);

	if (id != TABLE_ledger && table_vec(t, n->from)->n > t->table->none)
		say_left_out(n->m, t->table);
	n->rows.cut[id] = true;
	n->rows.left_out[id] = t->table->none;
}

int merge_choose(struct merge_next *n)
{
	int rc = choose_threads(n);

	if (rc)
		return rc;
	merge_add_origins(n);
	n->rows.takes[TABLE_threads] = n->threads;
	for (size_t i = 0; n->chosen && i < n->n_spans; i++)
		if (n->spans[i].origin != UINT32_MAX)
			n->rows.ns += n->spans[i].high_ns - n->spans[i].low_ns;
	for (const struct table_place *t = profile_tables; n->chosen && t->table; t++) {
		if (t->table->rows == ROWS_EVENTS || t->table->lasts)
			choose_rows(n, t);
		else if (t->table->rows == ROWS_SUMS && rows_have_sums(t->table))
			cut(n, t);
	}
	return 0;
}

/* --- the ledger ----------------------------------------------------------------------------- */

static void add_row(struct merge_next *n, const struct ledger_row *e, uint32_t name, int64_t count)
{
	struct ledger_row row = *e;

	row.name = name;
	row.metric = rows_need(&n->rows, TABLE_metrics, e->metric);
	row.count = count;
	n->rows.overflow |= rows_add(n->m->p, TABLE_ledger, &row);
}

/* How many samples of the metric the choice left out. */
static int64_t left_out(const struct merge_next *n, uint32_t metric)
{
	const struct samples *s = &n->from->samples;
	int64_t left = 0;

	for (size_t i = 0; i < s->n; i++)
		left += s->values.at[metric].at[i] && !n->takes[TABLE_samples][i];
	return left;
}

/* Notes how many samples were left out, at most as many as the largest row of each class has. */
static void leave_out(struct merge_next *n, uint32_t metric, int64_t *left)
{
	int64_t most[LEDGER_CLASSES] = {0};

	for (size_t i = 0; i < n->from->ledger.n; i++) {
		const struct ledger_row *e = &n->from->ledger.at[i];

		if (e->metric == metric && e->count > most[e->class])
			most[e->class] = e->count;
	}
	if (*left > most[LEDGER_TAKEN])
		*left = most[LEDGER_TAKEN];
	if (*left > most[LEDGER_KEPT])
		*left = most[LEDGER_KEPT];
	if (*left)
		add_row(n, &(struct ledger_row){.metric = metric, .class = LEDGER_APART},
			intern_add(&n->m->p->strings, MERGE_LEFT_OUT), *left);
}

/* Subtracts them from the first row of each class that has so many. */
static void add_rows(struct merge_next *n, uint32_t metric, int64_t left)
{
	int64_t off[LEDGER_CLASSES] = {[LEDGER_TAKEN] = left, [LEDGER_KEPT] = left};

	for (size_t i = 0; i < n->from->ledger.n; i++) {
		const struct ledger_row *e = &n->from->ledger.at[i];
		int64_t less;

		if (e->metric != metric)
			continue;
		less = off[e->class] && e->count >= off[e->class] ? off[e->class] : 0;
		off[e->class] -= less;
		add_row(n, e, rows_text(&n->rows, e->name), e->count - less);
	}
}

void merge_cut_ledger(struct merge_next *n)
{
	for (uint32_t m = 0; m < n->from->metrics.n; m++) {
		int64_t left = left_out(n, m);

		leave_out(n, m, &left);
		add_rows(n, m, left);
	}
}
