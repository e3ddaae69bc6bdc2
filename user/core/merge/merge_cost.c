/*
 * What the captures cost, row by row:
 *
 *	%				   mean, weighted by the length of the captures; 0 where
 *					   one has no such row
 *	"…: a call, …", "interrupt of …",
 *	"a switch of …"			   the greatest: prices of one thing
 *	bytes				   the greatest: not held at the same time
 *	all else			   the sum
 */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "merge/merge_state.h"
#include "model/zone_compensate.h"

enum rule { RULE_SUM, RULE_MEAN, RULE_MOST };

static enum rule rule_of(const struct profile *p, const struct cost_row *r)
{
	const char *name = profile_text(p, r->name), *unit = profile_text(p, r->unit);

	if (!strcmp(unit, "%"))
		return RULE_MEAN;
	if (!strcmp(unit, "bytes") || str_starts(name, ZONE_COST_CALL) ||
	    str_starts(name, COST_INTERRUPT) || !strcmp(name, COST_SWITCH))
		return RULE_MOST;
	return RULE_SUM;
}

void merge_add_cost(struct merge_next *n)
{
	const double length = n->from->duration_ns > 0 ? (double)n->from->duration_ns : 0;
	double taken = 0;

	for (size_t i = 0; i < n->n_spans; i++)
		if (n->spans[i].origin != UINT32_MAX)
			taken += (double)(n->spans[i].high_ns - n->spans[i].low_ns);
	for (size_t i = 0; i < n->from->cost.n; i++) {
		struct cost_row r = n->from->cost.at[i];
		enum rule rule = rule_of(n->from, &r);
		bool fresh;
		uint32_t row;

		/* Sums of all of the time say nothing of a part. */
		if (n->chosen && rule == RULE_SUM)
			continue;
		r.name = copy_text(&n->names, r.name);
		r.unit = copy_text(&n->names, r.unit);
		row = merge_keys_row(&n->m->cost, (struct merge_key){{r.name, r.unit}}, &fresh);
		if (rule == RULE_MEAN)
			r.value *= n->chosen ? taken : length;
		vec_push(&n->m->costs, ((struct merge_cost){row, r.value}));
		r.value = 0;
		if (fresh)
			vec_push(&n->m->p->cost, r);
	}
}

static int by_row_value(const void *left, const void *right)
{
	const struct merge_cost *a = left, *b = right;

	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	return a->value < b->value ? -1 : a->value > b->value;
}

/* Of the values of one row, which ascend. */
static double settle(enum rule rule, const struct merge_cost *at, size_t n, double length)
{
	double sum = 0;

	if (rule == RULE_MOST)
		return at[n - 1].value;
	for (size_t i = 0; i < n; i++)
		sum += at[i].value;
	return rule == RULE_SUM ? sum : length > 0 ? sum / length : 0;
}

void merge_settle_cost(struct merge *m)
{
	struct profile *p = m->p;
	double length = 0;

	for (size_t i = 0; i < p->origins.n; i++)
		length += (double)p->origins.at[i].duration_ns;
	if (m->costs.n)
		qsort(m->costs.at, m->costs.n, sizeof(*m->costs.at), by_row_value);
	for (size_t i = 0, end; i < m->costs.n; i = end) {
		struct cost_row *r = &p->cost.at[m->costs.at[i].row];

		for (end = i; end < m->costs.n && m->costs.at[end].row == m->costs.at[i].row; end++)
			;
		r->value = settle(rule_of(p, r), &m->costs.at[i], end - i, length);
	}
}
