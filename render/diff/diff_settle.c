/* diff_settle(): what is said of each box; see diff_build.h. */
#include <math.h>
#include <stdlib.h>

#include "diff/diff_build.h"

/* A path has the change of its function if it has at least so much of it. */
#define OF_FUNCTION .5

/* A function of the comparison. */
struct place {
	uint32_t self, total;  /* numbers of its rows; DIFF_NONE: it has none */
	struct diff_node sums; /* of all its paths; recursion counted once */
	uint32_t most; /* of the paths that changed as the function did the one that did most, … */
	double delta;  /* … and by how much */
	bool coloured,
		self_coloured; /* one of its paths has the effect of its total, of its self */
};

struct settle {
	const struct diff_build *b;
	struct place *places; /* by subject */
	double scale[SIDES];
	bool any[DIFF_EFFECTS]; /* whether a row has that effect */
	bool *of_row;		/* per node: its finding is that of a row */
	struct diff_finding *out;
};

/* --- rows ------------------------------------------------------------------------------------- */

static enum diff_effect effect_of(const struct compare_row *r)
{
	const bool changed = r->verdict <= VERDICT_MOVED || r->suspect || r->better;

	return !changed ? DIFF_SAME : r->change > 0 ? DIFF_MORE : DIFF_LESS;
}

static const struct compare_row *row_at(const struct settle *s, uint32_t row)
{
	return row == DIFF_NONE ? NULL : &s->b->c->rows.at[row];
}

static float half_of(const struct compare_row *r)
{
	return (float)((log1p(r->high) - log1p(r->low)) / 2);
}

static struct diff_finding finding_of(const struct settle *s, const struct compare_row *r,
				      const struct diff_node *n)
{
	const struct evidence e = {log1p(r->change), r->error, r->df, r->p};
	struct diff_finding f = {.change = (float)e.difference,
				 .half = half_of(r),
				 .q = (float)r->q,
				 .need = NAN,
				 .effect = (uint8_t)effect_of(r),
				 .moved = r->verdict == VERDICT_MOVED,
				 .self_change = NAN,
				 .self_half = NAN};

	f.strength = f.effect ? diff_strength(r->q) : 0;
	if (isfinite(e.p))
		f.need = (float)diff_need(s->b, &e, r->weight,
					  (double)(n->samples[BASE] + n->samples[NEW]));
	return f;
}

static struct diff_finding of_function(const struct settle *s, const struct compare_row *r,
				       const struct diff_node *n, bool moved)
{
	struct diff_finding f = finding_of(s, r, n);

	f.moved |= f.effect && moved;
	return f;
}

static void enter_rows(struct settle *s)
{
	struct comparison *c = s->b->c;

	for (size_t i = 0; i < c->subjects.all.n; i++)
		s->places[i].self = s->places[i].total = DIFF_NONE;
	for (uint32_t i = 0; i < c->rows.n; i++) {
		const struct compare_row *r = &c->rows.at[i];

		if (r->kind == ROW_SELF)
			s->places[r->subject].self = i;
		if (r->kind == ROW_TOTAL)
			s->places[r->subject].total = i;
		if (r->kind == ROW_SELF || r->kind == ROW_TOTAL)
			s->any[effect_of(r)] = true;
	}
}

/* --- paths ------------------------------------------------------------------------------------ */

/* Whether no function above it is the same. */
static bool is_outermost(const struct settle *s, uint32_t node)
{
	const struct tree_node *nodes = s->b->d->tree->nodes.at;
	const uint32_t *subject = s->b->subject.at;

	for (uint32_t at = node; at;) {
		at = nodes[at].parent;
		if (subject[at] == subject[node])
			return false;
	}
	return true;
}

static double delta(const struct settle *s, uint32_t node, bool self)
{
	const struct diff_node *n = &s->b->d->nodes.at[node];
	const int64_t *value = self ? n->self : n->total;

	return (double)value[NEW] * s->scale[NEW] - (double)value[BASE] * s->scale[BASE];
}

/* Fills sums, and the path with most of the function's change. */
static void add_up(struct settle *s)
{
	const struct diff *d = s->b->d;

	for (uint32_t i = 0; i < d->nodes.n; i++) {
		const uint32_t subject = s->b->subject.at[i];
		struct place *p = subject == DIFF_NONE ? NULL : &s->places[subject];
		const bool outermost = p && is_outermost(s, i);
		const struct compare_row *r = p ? row_at(s, p->total) : NULL;
		const double change = outermost ? delta(s, i, false) : 0;

		for (int side = BASE; side < SIDES && p; side++) {
			p->sums.self[side] += d->nodes.at[i].self[side];
			p->sums.total[side] += outermost ? d->nodes.at[i].total[side] : 0;
		}
		if (r && effect_of(r) && change * r->change > 0 && fabs(change) > p->delta) {
			p->most = i;
			p->delta = fabs(change);
		}
	}
}

static bool has_all(const int64_t *part, const int64_t *whole)
{
	return part[BASE] == whole[BASE] && part[NEW] == whole[NEW];
}

static void take(struct diff_finding *f, const struct diff_finding *from)
{
	f->effect = from->effect;
	f->strength = from->strength;
	f->moved = from->moved;
}

/* A path of a function that has others, too: see diff.h. */
static void settle_path(const struct settle *s, const struct place *p,
			const struct compare_row *total, uint32_t node, struct diff_finding *f)
{
	const struct diff *d = s->b->d;
	const struct compare_row *self = p ? row_at(s, p->self) : NULL;
	const uint8_t above = s->out[d->tree->nodes.at[node].parent].effect;
	const uint8_t as_function = total ? (uint8_t)effect_of(total) : DIFF_SAME;
	const bool supported = f->effect >= DIFF_NEW || f->effect == as_function ||
			       f->effect == above || (self && f->effect == effect_of(self)) ||
			       (!p && s->any[f->effect]);

	if (!supported) {
		f->effect = f->strength = 0;
		f->moved = false;
	}
}

/* What changed in the function's own code shows where its total did not change. */
static void take_self(struct diff_finding *f, const struct compare_row *r)
{
	f->self_change = (float)log1p(r->change);
	f->self_half = half_of(r);
	f->self_effect = (uint8_t)effect_of(r);
	if (f->effect || !f->self_effect)
		return;
	f->effect = f->self_effect;
	f->strength = diff_strength(r->q);
	f->moved = r->verdict == VERDICT_MOVED;
	f->of_self = true;
}

/* A path that has all samples of its caller is the same question. */
static void as_caller(struct settle *s, uint32_t node, uint32_t caller)
{
	struct diff_finding *f = &s->out[node];

	*f = s->out[caller];
	f->self_change = f->self_half = NAN;
	f->self_effect = 0;
	if (f->of_self) {
		f->of_self = f->moved = false;
		f->effect = f->strength = 0;
	}
	s->of_row[node] = true;
}

static void settle_node(struct settle *s, const struct diff_finding *paths, uint32_t node)
{
	const struct diff_build *b = s->b;
	const struct diff_node *n = &b->d->nodes.at[node];
	const uint32_t parent = b->d->tree->nodes.at[node].parent;
	const struct diff_finding *above = &s->out[parent];
	struct place *p = b->subject.at[node] == DIFF_NONE ? NULL : &s->places[b->subject.at[node]];
	const struct compare_row *total = p ? row_at(s, p->total) : NULL;
	const struct compare_row *self = p ? row_at(s, p->self) : NULL;
	struct diff_finding *f = &s->out[node];

	*f = (struct diff_finding){.change = NAN,
				   .half = NAN,
				   .q = NAN,
				   .need = NAN,
				   .self_change = NAN,
				   .self_half = NAN};
	if (b->question[node] != DIFF_NONE)
		*f = paths[b->question[node]];
	s->of_row[node] = total && has_all(n->total, p->sums.total) && is_outermost(s, node);
	if (s->of_row[node])
		*f = of_function(s, total, n, f->moved);
	else if (node && s->of_row[parent] && has_all(n->total, b->d->nodes.at[parent].total))
		as_caller(s, node, parent);
	else
		settle_path(s, p, total, node, f);
	if (self && has_all(n->self, p->sums.self))
		take_self(f, self);
	if (total)
		p->coloured |= f->effect && f->effect == effect_of(total) && !f->of_self;
	if (self)
		p->self_coloured |= f->effect && f->effect == effect_of(self);
	/* Below a path that is new or gone everything is, however few samples it has. */
	if (node && f->effect == DIFF_SAME && above->effect >= DIFF_NEW) {
		f->effect = above->effect;
		f->strength = above->strength;
	}
}

/* Whether a path of @place has a good part of the function's change. */
static bool has_part(const struct settle *s, const struct place *place, uint32_t node)
{
	const double own = (double)s->out[node].change;
	const double all = log1p(row_at(s, place->total)->change);

	return node == place->most || (own * all > 0 && fabs(own) >= OF_FUNCTION * fabs(all));
}

static bool has_part_of_self(const struct settle *s, const struct compare_row *r, uint32_t node)
{
	const double change = delta(s, node, true);
	const double before = (double)s->b->d->nodes.at[node].self[BASE] * s->scale[BASE];

	return change * r->change > 0 && fabs(change) >= OF_FUNCTION * fabs(r->change) * before;
}

static void spread(struct settle *s, const struct place *p, uint32_t node)
{
	const struct compare_row *total = row_at(s, p->total), *self = row_at(s, p->self);
	struct diff_finding *f = &s->out[node], of;

	if (total && effect_of(total) && !p->coloured && has_part(s, p, node)) {
		of = finding_of(s, total, &s->b->d->nodes.at[node]);
		take(f, &of);
	} else if (self && effect_of(self) && !p->self_coloured && !p->coloured &&
		   has_part_of_self(s, self, node)) {
		take_self(f, self);
	}
}

/* A function that changed shows, even if its change is spread over many paths of which none stands
 * out. */
static void settle_spread(struct settle *s)
{
	for (uint32_t i = 0; i < s->b->d->nodes.n; i++)
		if (s->b->subject.at[i] != DIFF_NONE && !s->out[i].effect)
			spread(s, &s->places[s->b->subject.at[i]], i);
}

void diff_settle(const struct diff_build *b, const struct diff_finding *paths)
{
	_free_ struct place *places = mem_zalloc(b->c->subjects.all.n + 1, sizeof(*places));
	_free_ bool *of_row = mem_zalloc(b->d->nodes.n, sizeof(*of_row));
	struct settle s = {.b = b, .places = places, .of_row = of_row};

	b->d->findings = mem_zalloc(b->d->nodes.n, sizeof(*b->d->findings));
	s.out = b->d->findings;
	diff_scale(b, s.scale);
	enter_rows(&s);
	add_up(&s);
	for (uint32_t i = 0; i < b->d->nodes.n; i++)
		settle_node(&s, paths, i);
	settle_spread(&s);
	b->d->common = expm1(b->c->common.amount);
}
