#include "view/ledger_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"

struct ledger_sums ledger_sum(const struct profile *p, uint32_t metric)
{
	struct ledger_sums sums = {0};

	for (size_t i = 0; i < p->ledger.n; i++) {
		const struct ledger_row *r = &p->ledger.at[i];

		if (r->metric != metric)
			continue;
		sums.rows++;
		sums.taken += r->class == LEDGER_TAKEN ? r->count : 0;
		sums.kept += r->class == LEDGER_KEPT ? r->count : 0;
		sums.lost += r->class == LEDGER_LOST ? r->count : 0;
		sums.notes += r->class == LEDGER_NOTE ? r->count : 0;
	}
	return sums;
}

static int by_count(const void *a, const void *b)
{
	const struct ledger_row *x = a, *y = b;

	return (x->count < y->count) - (x->count > y->count);
}

char *ledger_reasons(const struct profile *p, uint32_t metric, enum ledger_class class)
{
	VEC(struct ledger_row) rows = {0};
	struct str out = {0};

	for (size_t i = 0; i < p->ledger.n; i++) {
		const struct ledger_row *r = &p->ledger.at[i];

		if (r->metric == metric && r->class == class && r->count)
			vec_push(&rows, *r);
	}
	if (rows.n)
		qsort(rows.at, rows.n, sizeof(rows.at[0]), by_count);
	for (size_t i = 0; i < rows.n; i++) {
		char count[UNITS_BUF];

		units_count(count, sizeof(count), rows.at[i].count);
		str_addf(&out, "%s%s %s", i ? "; " : "", count, profile_text(p, rows.at[i].name));
	}
	vec_release(&rows);
	str_add(&out, "");
	return str_steal(&out);
}

char *ledger_cost_text(char *buf, size_t size, const struct profile *p, const struct cost_row *r)
{
	const char *unit = profile_text(p, r->unit);

	if (!strcmp(unit, "ns") || !strcmp(unit, "bytes"))
		return units_value(buf, size, r->value, unit);
	if (!strcmp(unit, "percent") || !strcmp(unit, "%"))
		return units_percent(buf, size, r->value, 100);
	if (r->value == floor(r->value) && fabs(r->value) < 1e15)
		return units_count(buf, size, (int64_t)r->value);
	snprintf(buf, size, "%.3g", r->value);
	return buf;
}
