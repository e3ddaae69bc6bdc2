#include "compare/shift.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EVERYTHING .9 /* share from which a function is a root of all stacks */

/* --- edges ------------------------------------------------------------------------------------ */

static int by_caller(const void *a, const void *b)
{
	const struct shift_edge *x = a, *y = b;

	return order_up(x->caller, y->caller) ?: order_up(x->callee, y->callee);
}

static int by_callee(const void *a, const void *b)
{
	const struct shift_edge *x = a, *y = b;

	return order_up(x->callee, y->callee) ?: order_up(x->caller, y->caller);
}

static void add_run(struct shifts *s, struct map *rows, const struct sampled *of, double scale,
		    int side)
{
	vec_each (e, &of->edges) {
		const uint32_t row =
			map_number(rows, (uint64_t)e->caller << 32 | e->callee, s->by_caller.n);

		if (row == s->by_caller.n)
			vec_push(&s->by_caller, ((struct shift_edge){e->caller, e->callee, {0}}));
		s->by_caller.at[row].value[side] += e->value * scale;
	}
}

void shifts_build(struct shifts *s, const struct gathered *g, const struct compare_input *in,
		  const struct comparison *c)
{
	struct map rows = {0};

	*s = (struct shifts){0};
	for (size_t i = 0; g->sampled && i < in->n[BASE] + in->n[NEW]; i++) {
		const int side = i < in->n[BASE] ? BASE : NEW;
		double scale = gather_scale(&g->sampled[i], gather_run(in, i), c->per);

		scale *= side == NEW ? exp(-c->common.amount) : 1;
		add_run(s, &rows, &g->sampled[i], scale / (double)in->n[side], side);
	}
	map_release(&rows);
	if (!s->by_caller.n)
		return;
	vec_reserve(&s->by_callee, s->by_caller.n);
	memcpy(s->by_callee.at, s->by_caller.at, s->by_caller.n * sizeof(*s->by_caller.at));
	s->by_callee.n = s->by_caller.n;
	vec_sort(&s->by_caller, by_caller);
	vec_sort(&s->by_callee, by_callee);
}

void shifts_release(struct shifts *s)
{
	vec_release(&s->by_caller);
	vec_release(&s->by_callee);
}

static double change_of(const struct shift_edge *e)
{
	return e->value[NEW] - e->value[BASE];
}

/* The first of @subject's edges; those that follow have the same caller (callee). */
static size_t first_from(const struct shifts *s, uint32_t subject)
{
	return subject ? vec_upto(&s->by_caller, caller, subject - 1) : 0;
}

static size_t first_to(const struct shifts *s, uint32_t subject)
{
	return subject ? vec_upto(&s->by_callee, callee, subject - 1) : 0;
}

/* --- cost that moved -------------------------------------------------------------------------- */

/* Where each function's rows are; by number. UINT32_MAX: nowhere. */
struct places {
	uint32_t *self, *total;
	const struct comparison *c;
};

static double row_change(const struct places *p, const uint32_t *rows, uint32_t subject)
{
	const struct compare_row *r;

	if (rows[subject] == UINT32_MAX)
		return NAN;
	r = &p->c->rows.at[rows[subject]];
	return comparison_delta(p->c, r);
}

static bool is_everything(const struct places *p, uint32_t subject)
{
	const uint32_t row = p->total[subject];

	return p->c->per == PER_WORK && row != UINT32_MAX &&
	       p->c->rows.at[row].value[NEW] >= EVERYTHING;
}

/* Whether a function, or its own code, changed against @change by more than chance does. */
static bool took(const struct places *p, const uint32_t *rows, uint32_t subject, double change)
{
	const struct compare_row *r =
		rows[subject] == UINT32_MAX ? NULL : &p->c->rows.at[rows[subject]];

	return !r || isnan(r->p) || (r->p <= SHIFT_P && r->change * change < 0);
}

/* What took (or gave) most of @change: a function that the caller calls, or the caller's own code:
 * a subject, or UINT32_MAX. */
static uint32_t counterpart(const struct shifts *s, const struct places *p, uint32_t caller,
			    uint32_t callee, double change)
{
	double most = row_change(p, p->self, caller) / change;
	uint32_t found = caller;

	most = isnan(most) ? 0 : most;
	for (size_t i = first_from(s, caller);
	     i < s->by_caller.n && s->by_caller.at[i].caller == caller; i++) {
		const struct shift_edge *e = &s->by_caller.at[i];
		const double part = change_of(e) / change;

		if (e->callee != callee && part < most) {
			most = part;
			found = e->callee;
		}
	}
	if (!took(p, found == caller ? p->self : p->total, found, change))
		return UINT32_MAX;
	return most <= -SHIFT_TAKEN ? found : UINT32_MAX;
}

static bool stayed(const struct places *p, uint32_t subject, double change)
{
	const double own = row_change(p, p->total, subject);

	return !is_everything(p, subject) && fabs(own) <= SHIFT_LEFT * fabs(change);
}

/* The caller through which most of the change came. */
static const struct shift_edge *main_caller(const struct shifts *s, uint32_t callee)
{
	const struct shift_edge *most = NULL;

	for (size_t i = first_to(s, callee);
	     i < s->by_callee.n && s->by_callee.at[i].callee == callee; i++)
		if (!most || fabs(change_of(&s->by_callee.at[i])) > fabs(change_of(most)))
			most = &s->by_callee.at[i];
	return most;
}

static void set_moved(struct comparison *c, struct compare_row *r, uint32_t within, uint32_t other)
{
	r->why = comparison_own(c, mem_printf("%s %s; %s as a whole is unchanged",
					      r->change > 0 ? "from" : "to",
					      subject_name(&c->subjects, other),
					      subject_name(&c->subjects, within)));
	r->verdict = VERDICT_MOVED;
}

static void shift_row(const struct shifts *s, const struct places *p, struct comparison *c,
		      struct compare_row *r)
{
	const double change = comparison_delta(c, r);
	const struct shift_edge *via;
	uint32_t other;

	if (r->kind == ROW_SELF && stayed(p, r->subject, change)) {
		other = counterpart(s, p, r->subject, r->subject, change);
		if (other != UINT32_MAX && other != r->subject) {
			set_moved(c, r, r->subject, other);
			return;
		}
	}
	via = main_caller(s, r->subject);
	if (!via || change_of(via) / change < SHIFT_TAKEN || !stayed(p, via->caller, change))
		return;
	other = counterpart(s, p, via->caller, r->subject, change);
	if (other != UINT32_MAX)
		set_moved(c, r, via->caller, other);
}

void shift_rows(const struct shifts *s, struct comparison *c)
{
	const size_t n = c->subjects.all.n;
	_free_ uint32_t *self = mem_zalloc(n + 1, sizeof(*self));
	_free_ uint32_t *total = mem_zalloc(n + 1, sizeof(*total));
	const struct places p = {self, total, c};

	memset(self, 0xff, (n + 1) * sizeof(*self));
	memset(total, 0xff, (n + 1) * sizeof(*total));
	for (size_t i = 0; i < c->rows.n; i++) {
		if (c->rows.at[i].kind == ROW_SELF)
			self[c->rows.at[i].subject] = (uint32_t)i;
		if (c->rows.at[i].kind == ROW_TOTAL)
			total[c->rows.at[i].subject] = (uint32_t)i;
	}
	vec_each (r, &c->rows) {
		if ((r->kind == ROW_SELF || r->kind == ROW_TOTAL) &&
		    (r->verdict == VERDICT_REGRESSED || r->verdict == VERDICT_IMPROVED))
			shift_row(s, &p, c, r);
	}
}

/* --- functions with another name -------------------------------------------------------------- */

/* A function that another calls or is called by: which and how, and the value of it. */
struct neighbour {
	uint64_t key;
	const double *value; /* SIDES */
};
typedef VEC(struct neighbour) neighbours;

static void neighbours_of(const struct shifts *s, uint32_t subject, neighbours *out)
{
	for (size_t i = first_to(s, subject);
	     i < s->by_callee.n && s->by_callee.at[i].callee == subject; i++) {
		const struct shift_edge *e = &s->by_callee.at[i];

		vec_push(out, ((struct neighbour){(uint64_t)e->caller << 1, e->value}));
	}
	for (size_t i = first_from(s, subject);
	     i < s->by_caller.n && s->by_caller.at[i].caller == subject; i++) {
		const struct shift_edge *e = &s->by_caller.at[i];

		vec_push(out, ((struct neighbour){(uint64_t)e->callee << 1 | 1, e->value}));
	}
}

/* How alike the neighbours of @a before and of @b now are: Σ min / Σ max of the values of their
 * calls. */
static double likeness(const struct shifts *s, uint32_t a, uint32_t b)
{
	neighbours old = {0}, new = {0};
	struct map before = {0};
	double common = 0, all = 0;

	neighbours_of(s, a, &old);
	neighbours_of(s, b, &new);
	for (size_t i = 0; i < old.n; i++) {
		(void)map_number(&before, old.at[i].key, i);
		all += old.at[i].value[BASE];
	}
	vec_each (n, &new) {
		const uint32_t *was = map_get(&before, n->key);
		const double now = n->value[NEW];
		const double both = was ? fmin(now, old.at[*was].value[BASE]) : 0;

		common += both;
		all += now - both;
	}
	map_release(&before);
	vec_release(&old);
	vec_release(&new);
	return all > 0 ? common / all : 0;
}

static const char *title_of(struct comparison *c, const struct compare_only *o,
			    const struct compare_only *beside)
{
	return strcmp(o->module, beside->module)
		       ? comparison_own(c, mem_printf("%s (%s)", o->name, o->module))
		       : o->name;
}

/* The removed function that @new was, likely. */
static struct compare_only *find_old(const struct shifts *s, struct comparison *c,
				     const struct compare_only *new)
{
	struct compare_only *best = NULL;
	double most = SHIFT_ALIKE;
	size_t looked = 0;

	for (size_t i = 0; i < c->only.n && looked < SHIFT_RENAMED; i++) {
		struct compare_only *old = &c->only.at[i];
		double alike;

		if (old->is_new || old->is_zone)
			continue;
		looked++;
		if (old->other || old->value < new->value / 2 || old->value > new->value * 2)
			continue;
		alike = likeness(s, old->subject, new->subject);
		if (alike >= most) {
			most = alike;
			best = old;
		}
	}
	return best;
}

void shift_renamed(const struct shifts *s, struct comparison *c)
{
	size_t looked = 0;

	for (size_t i = 0; i < c->only.n && looked < SHIFT_RENAMED; i++) {
		struct compare_only *new = &c->only.at[i], *old;

		if (!new->is_new || new->is_zone)
			continue;
		looked++;
		old = find_old(s, c, new);
		if (old) {
			new->other = title_of(c, old, new);
			old->other = title_of(c, new, old);
		}
	}
}
