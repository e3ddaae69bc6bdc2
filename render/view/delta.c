#include "view/delta.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "paint/diff_words.h"

/* --- words ------------------------------------------------------------------------------------ */

const char *delta_verdict_text(const struct compare_row *r)
{
	if (r->suspect)
		return r->change > 0 ? "undecided (suspect: more)" : "undecided (suspect: less)";
	if (r->better)
		return r->change > 0 ? "undecided (apparently more)"
				     : "undecided (apparently less)";
	return verdict_name(r->verdict);
}

/* --- which row is whose ----------------------------------------------------------------------- */

#define IS_NEW	   (UINT32_MAX - 1) /* in place of a row */
#define IS_NOWHERE UINT32_MAX

/* Numbers of rows by number of function or zone. */
struct deltas {
	const struct comparison *c;
	uint32_t *self, *total, *zone;
	bool zones;
};

/* Rows by subject and kind, while the tables are made. */
struct lookup {
	struct subjects names;
	struct map rows;
};

/* A zone that was only counted is a zone. */
static uint64_t key_of(uint32_t subject, enum row_kind kind)
{
	return (uint64_t)(kind == ROW_CALLS ? ROW_ZONE : kind) << 32 | subject;
}

static void enter(struct lookup *l, const char *module, const char *name, enum row_kind kind,
		  uint32_t row)
{
	(void)map_number(&l->rows, key_of(subject_add(&l->names, module, name, 0, ""), kind), row);
}

static void enter_all(struct lookup *l, const struct comparison *c)
{
	for (size_t i = 0; i < c->rows.n; i++) {
		const struct compare_row *r = &c->rows.at[i];

		if (r->kind != ROW_WHOLE)
			enter(l, r->module, r->name, r->kind, (uint32_t)i);
	}
	vec_each (o, &c->only) {
		if (o->is_new)
			enter(l, o->module, o->name, o->is_zone ? ROW_ZONE : ROW_TOTAL, IS_NEW);
	}
}

static uint32_t find(struct lookup *l, const char *module, const char *name, enum row_kind kind)
{
	const uint32_t subject = subject_add(&l->names, module, name, 0, "");
	const uint32_t *row = map_get(&l->rows, key_of(subject, kind));

	return row ? *row : IS_NOWHERE;
}

static void find_all(struct deltas *d, struct lookup *l, const struct profile *p)
{
	for (uint32_t i = 0; i < p->functions.n; i++) {
		const struct function *f = &p->functions.at[i];
		_free_ char *place = subject_place(p, i);
		const char *name = profile_text(p, f->name);

		d->self[i] = find(l, place, name, ROW_SELF);
		d->total[i] = find(l, place, name, ROW_TOTAL);
	}
	for (uint32_t i = 0; i < p->zones.n; i++) {
		const struct zone *z = &p->zones.at[i];

		d->zone[i] = find(l, profile_text(p, p->modules.at[z->module].path),
				  profile_text(p, z->name), ROW_ZONE);
		d->zones |= d->zone[i] != IS_NOWHERE;
	}
}

struct deltas *deltas_new(const struct comparison *c, const struct profile *p)
{
	struct deltas *d;
	struct lookup l = {0};

	if (c->not_comparable)
		return NULL;
	d = mem_zalloc(1, sizeof(*d));
	d->c = c;
	d->self = mem_zalloc(p->functions.n + 1, sizeof(*d->self));
	d->total = mem_zalloc(p->functions.n + 1, sizeof(*d->total));
	d->zone = mem_zalloc(p->zones.n + 1, sizeof(*d->zone));
	l.names.alias = c->alias_of ? c->alias : NULL;
	l.names.alias_of = c->alias_of;
	enter_all(&l, c);
	find_all(d, &l, p);
	subjects_release(&l.names);
	map_release(&l.rows);
	return d;
}

void deltas_free(struct deltas *d)
{
	if (!d)
		return;
	free(d->self);
	free(d->total);
	free(d->zone);
	free(d);
}

static struct delta delta_of(const struct deltas *d, uint32_t row)
{
	return (struct delta){row < d->c->rows.n ? &d->c->rows.at[row] : NULL, row == IS_NEW};
}

struct delta deltas_function(const struct deltas *d, uint32_t function, enum row_kind kind)
{
	const struct delta total = delta_of(d, d->total[function]);

	return kind == ROW_TOTAL || total.is_new ? total : delta_of(d, d->self[function]);
}

struct delta deltas_zone(const struct deltas *d, uint32_t zone)
{
	return delta_of(d, d->zone[zone]);
}

bool deltas_have_metric(const struct deltas *d, const char *metric)
{
	return d && metric && d->c->metric && !strcmp(d->c->metric, metric);
}

bool deltas_have_zones(const struct deltas *d)
{
	return d && d->zones;
}

/* --- cells ------------------------------------------------------------------------------------ */

enum { BEFORE, CHANGE, VERDICT };

const struct doc_column *delta_columns(bool total)
{
	static const struct doc_column columns[][DELTA_COLUMNS] = {
		{{"Before", "before", CELL_NUMBER,
		  "what the baseline had: geometric mean over its runs"},
		 {"Change", "change_percent", CELL_NUMBER, "against the baseline"},
		 {"Verdict", "verdict", CELL_TEXT, "of the comparison with the baseline"}},
		{{"Total before", "total_before", CELL_NUMBER,
		  "what the baseline had, with all that it called"},
		 {"Total change", "total_change_percent", CELL_NUMBER, "the change of that"},
		 {"Total verdict", "total_verdict", CELL_TEXT, "and the verdict on it"}},
	};

	return columns[total];
}

void delta_cell(struct doc_table *t, const struct delta *d, size_t column)
{
	const struct compare_row *r = d->row;
	_free_ char *text = NULL;

	if (column == VERDICT) {
		doc_cell(t, 0, "%s", r ? delta_verdict_text(r) : d->is_new ? "new" : "");
		return;
	}
	if (!r) {
		doc_cell(t, NAN, "–");
		return;
	}
	text = column == BEFORE ? change_value(r->unit, r->value[BASE]) : change_text(r->change);
	doc_cell(t, column == BEFORE ? r->value[BASE] : 100 * r->change, "%s", text);
}

void delta_cells(struct doc_table *t, const struct delta *d)
{
	for (size_t i = 0; i < DELTA_COLUMNS; i++)
		delta_cell(t, d, i);
}

void deltas_note(const struct deltas *d, struct doc *doc)
{
	static const char *const per[] = {
		[PER_AUTO] = "amounts per run",
		[PER_RUN] = "amounts per run",
		[PER_SECOND] = "amounts per second of the capture",
		[PER_WORK] = "time per call of zones, share of the samples of functions",
	};
	const struct comparison *c = d->c;

	doc_text(doc, "Before, Change, Verdict: against %s (%zu run%s); values: %s.",
		 *c->run[BASE][0].version ? c->run[BASE][0].version : "the base", c->runs[BASE],
		 c->runs[BASE] == 1 ? "" : "s", per[c->per <= PER_WORK ? c->per : PER_RUN]);
}
