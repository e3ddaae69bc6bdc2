#include "merge/merge.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "merge/merge_state.h"
#include "model/cell.h"
#include "model/meta.h"
#include "model/row.h"

#define TOLD_MOST 10 /* captures that the attribute RUN_MERGED names */

struct merge *merge_new(const struct merge_choice *choice)
{
	struct merge *m = mem_zalloc(1, sizeof(*m));

	m->choice = *choice;
	m->p = profile_new();
	return m;
}

void merge_free(struct merge *m)
{
	if (!m)
		return;
	profile_free(m->p);
	rows_release(&m->before);
	for (size_t i = 0; i < TABLES; i++)
		vec_release(&m->origin[i]);
	map_release(&m->builds);
	free(m->clock);
	free(m->clock_file);
	str_release(&m->left_out);
	free(m);
}

const char *merge_left_out(const struct merge *m)
{
	return m->left_out.n ? m->left_out.s : NULL;
}

/* --- builds of modules --------------------------------------------------------------------------
 *
 * A named function is the same in all builds of its module, which is identified by its path alone.
 * A function without a name is an offset, which only means something in one build.
 */

static void know_build(struct merge *m, const struct module *e)
{
	bool fresh;
	uint32_t *build = map_put(&m->builds, e->path, &fresh);

	*build = fresh || *build == e->build_id ? e->build_id : BUILDS_SEVERAL;
}

/* Changes @row, row @i of modules or functions of the profile that is added, accordingly. */
static void place_build(struct merge_next *n, enum table_id id, uint32_t i, void *row)
{
	struct function *f = row;
	struct module *e = row;

	if (id == TABLE_modules) {
		know_build(n->m, e);
		e->build_id = 0;
	} else if (id == TABLE_functions && !f->named && f->module) {
		e = &n->from->modules.at[n->from->functions.at[i].module];
		f->module = profile_module(n->m->p, profile_text(n->from, e->path),
					   profile_text(n->from, e->build_id));
	}
}

/* Sets the build-id of modules of which all captures have the same build. */
static void settle_builds(struct merge *m)
{
	for (size_t i = 1; i < m->p->modules.n; i++) {
		struct module *e = &m->p->modules.at[i];
		const uint32_t *build = map_get(&m->builds, e->path);

		if (!e->build_id && build && *build != BUILDS_SEVERAL)
			e->build_id = *build;
	}
	row_index_reset(m->p, TABLE_modules);
}

/* --- attributes ------------------------------------------------------------------------------- */

typedef void setter(struct profile *, const char *key, const char *text);
typedef const char *getter(const struct profile *, const char *key);

/* Programs read these, so a merge has one of the values: the first by its bytes. */
static bool is_chosen(const char *key)
{
	return !strcmp(key, META_TIMESTAMP) || !strcmp(key, RUN_METRIC);
}

/* These hold for one capture only; the merge sets its own, or none. */
static bool is_own(const char *key)
{
	return !strcmp(key, RUN_NAME) || !strcmp(key, RUN_WRITTEN_BY) || !strcmp(key, RUN_MERGED) ||
	       str_starts(key, REGRESSION_PREFIX);
}

/* The value, for people, of an attribute in which the profiles differ. */
static const char *several(const char *key)
{
	static const char *const texts[][2] = {
		{RUN_COMMAND, MERGE_SEVERAL " commands"},
		{RUN_TARGET, MERGE_SEVERAL " targets"},
		{RUN_EVENTS, MERGE_SEVERAL " events"},
		{RUN_END, MERGE_SEVERAL " causes"},
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (!strcmp(key, texts[i][0]))
			return texts[i][1];
	return MERGE_SEVERAL;
}

static void add_attr(struct merge_next *n, const struct attr *a, getter *get, setter *set)
{
	const char *key = profile_text(n->from, a->key), *text = profile_text(n->from, a->text);
	const char *old = get(n->m->p, key);

	if (!text[0] || is_own(key) || (n->chosen && !strcmp(key, RUN_CLOCK)))
		return;
	if (!old || (is_chosen(key) && strcmp(text, old) < 0))
		set(n->m->p, key, text);
	else if (!is_chosen(key) && strcmp(text, old) != 0)
		set(n->m->p, key, several(key));
}

static void add_attrs(struct merge_next *n)
{
	struct profile *p = n->m->p;

	for (size_t i = 0; i < n->from->meta.n; i++)
		add_attr(n, &n->from->meta.at[i], profile_meta, profile_set_meta);
	for (size_t i = 0; i < n->from->run.n; i++)
		add_attr(n, &n->from->run.at[i], profile_run, profile_set_run);
	if (!n->m->any)
		p->hz = n->from->hz;
	else if (p->hz != n->from->hz)
		p->hz = 0;
}

/* --- one profile ---------------------------------------------------------------------------- */

/* Makes the times of a row those since its origin began, and notes the origin. */
static void place_in_time(struct merge_next *n, const struct table_place *t, char *row)
{
	const struct merge_span *span = NULL;
	uint64_t in_ns = 0;

	for (size_t i = 0; i < t->table->n_columns; i++) {
		const struct column *c = &t->table->columns[i];

		if (!c->time)
			continue;
		span = merge_span_of(n, cell_u64(c, row), &in_ns);
		cell_set_u64(c, row, in_ns);
	}
	vec_push(&n->m->origin[table_id_of(t)], span ? span->origin : 0);
}

static void change(struct rows *r, enum table_id id, uint32_t i, void *row)
{
	struct merge_next *n = r->context;

	place_build(n, id, i, row);
	if (table_of(id)->table->rows == ROWS_EVENTS)
		place_in_time(n, table_of(id), row);
}

static void begin(struct merge_next *n)
{
	const struct merge_choice *c = &n->m->choice;
	const uint64_t length = profile_length(n->from);
	const uint64_t recent = (uint64_t)c->recent_ns;

	rows_init(&n->rows, n->from, n->m->p, &n->m->before);
	n->rows.change = change;
	n->rows.context = n;
	n->chosen = c->from_ns || c->to_ns || c->recent_ns || c->key;
	n->from_ns = recent && recent < length ? length - recent : (uint64_t)c->from_ns;
	n->to_ns = c->to_ns ? (uint64_t)c->to_ns : UINT64_MAX;
}

static void end(struct merge_next *n)
{
	/* Most likely the next profile is much the same. */
	rows_release(&n->m->before);
	n->m->before = n->rows;
	n->m->before.before = NULL;
	free(n->threads);
	for (size_t i = 0; i < TABLES; i++)
		free(n->takes[i]);
	free(n->spans);
}

/* Times of different clocks must not be added. */
static int check_clock(struct merge_next *n)
{
	const char *clock = profile_run(n->from, RUN_CLOCK);
	struct merge *m = n->m;

	if (n->rows.cut[TABLE_zones] || !profile_has(n->from, PART_ZONES))
		return 0;
	clock = clock && clock[0] ? clock : "wall";
	if (!m->clock) {
		m->clock = mem_strdup(clock);
		m->clock_file = mem_strdup(n->file);
		return 0;
	}
	if (!strcmp(m->clock, clock))
		return 0;
	return err(-EINVAL,
		   "the zones of '%s' have the clock '%s', those of '%s' '%s': their times cannot "
		   "be added; merge them apart",
		   m->clock_file, m->clock, n->file, clock);
}

/* If the choice left no table of a part, the merge does not have the part. */
static void add_parts(struct merge_next *n)
{
	uint32_t taken = 0, tables = 0;

	for (const struct table_place *t = profile_tables; t->table; t++) {
		tables |= 1u << t->table->part;
		if (!n->rows.cut[table_id_of(t)])
			taken |= 1u << t->table->part;
	}
	n->m->p->parts |= n->from->parts & (taken | ~tables);
}

static void take_metrics(struct merge_next *n)
{
	const size_t before = n->m->p->metrics.n, of = n->from->metrics.n;
	bool same = before == of || !before || !of;

	rows_take(&n->rows, TABLE_metrics);
	for (uint32_t i = 0; i < of; i++)
		same &= rows_need(&n->rows, TABLE_metrics, i) == i;
	n->m->metrics_differ |= !same;
}

static void take_tables(struct merge_next *n)
{
	for (const struct table_place *t = profile_tables; t->table; t++) {
		const enum table_id id = table_id_of(t);
		const enum table_rows rows = t->table->rows;

		if (id == TABLE_metrics)
			take_metrics(n);
		else if ((rows == ROWS_SUMS && !n->rows.cut[id]) || rows == ROWS_LISTED ||
			 rows == ROWS_EVENTS)
			rows_take(&n->rows, id);
		else if (id == TABLE_nodes && !n->chosen)
			rows_take_in(&n->rows, id, NULL);
	}
	if (n->chosen)
		merge_cut_ledger(n);
	merge_add_windows(n);
}

static int add(struct merge_next *n)
{
	int rc = merge_choose(n);

	if (!rc)
		rc = check_clock(n);
	if (rc)
		return rc;
	add_parts(n);
	take_tables(n);
	add_attrs(n);
	n->m->any = true;
	n->m->overflow |= n->rows.overflow;
	if (n->m->overflow)
		return err(-ERANGE, "with '%s' a sum is past 2^63: the profiles cannot be merged",
			   n->file);
	return 0;
}

int merge_add(struct merge *m, const struct profile *next, const char *file)
{
	struct merge_next n = {.m = m, .from = next, .file = file};
	int rc;

	begin(&n);
	rc = add(&n);
	end(&n);
	return rc;
}

/* --- all of them ---------------------------------------------------------------------------- */

/* "3: a.h5 (v1.0, 2026-11-21T21:52:00Z), …" */
static void tell_origins(struct profile *p)
{
	struct str s = {0};

	str_addf(&s, "%zu: ", p->origins.n);
	for (size_t i = 0; i < p->origins.n && i < TOLD_MOST; i++) {
		const struct origin *o = &p->origins.at[i];
		const char *version = profile_text(p, o->version);
		char started[UNITS_BUF];

		str_addf(&s, "%s%s (%s%s%s)", i ? ", " : "", profile_text(p, o->file), version,
			 version[0] ? ", " : "",
			 units_time(started, sizeof(started), o->started_unix_ns));
	}
	if (p->origins.n > TOLD_MOST)
		str_addf(&s, " and %zu more", p->origins.n - TOLD_MOST);
	profile_set_run(p, RUN_MERGED, s.s);
	str_release(&s);
}

/* Names the merge after its first capture. */
static void name_run(struct profile *p)
{
	char started[UNITS_BUF];
	_free_ char *name = NULL;

	p->started_unix_ns = p->origins.n ? p->origins.at[0].started_unix_ns : 0;
	name = mem_printf("merge-%s", units_time(started, sizeof(started), p->started_unix_ns));
	profile_set_run(p, RUN_NAME, name);
}

static int check_any(const struct merge *m)
{
	if (!m->any)
		return err(-ENOENT, "no profile was named");
	if (!m->p->origins.n)
		return err(-ENOENT, "no profile has any of the time that was asked for");
	if (m->choice.key && !m->p->threads.n)
		return err(-ENOENT, "--key '%s': no thread or process of any profile matches",
			   m->choice.key);
	return 0;
}

int merge_finish(struct merge *m, struct profile **out)
{
	struct profile *p;
	int rc = check_any(m);

	if (rc)
		return rc;
	settle_builds(m);
	merge_keep_highest_peak(m);
	p = merge_order(m);
	tell_origins(p);
	name_run(p);
	rows_derive(p, false);
	if (m->overflow)
		rc = err(-ERANGE, "the captures together are longer than 292 years");
	else if (profile_check(p))
		rc = err(-ERANGE, "the profiles cannot be merged: %s", err_text());
	if (rc)
		profile_free(p);
	else
		*out = p;
	return rc;
}
