#include "model/doubt.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/str.h"
#include "model/zone_column.h"

static void __attribute__((format(printf, 2, 3))) doubt(struct doubts *d, const char *fmt, ...)
{
	va_list args;

	if (d->all++ == d->n && d->n < DOUBTS_MOST) {
		va_start(args, fmt);
		if (vasprintf(&d->text[d->n], fmt, args) < 0)
			d->text[d->n] = mem_strdup(fmt);
		va_end(args);
		d->n++;
	}
}

static void doubt_counts(const struct profile *p, struct doubts *d)
{
	for (size_t i = 0; i < p->ledger.n; i++) {
		const struct ledger_row *e = &p->ledger.at[i];

		if (e->count < 0)
			doubt(d, "ledger of %s: %" PRId64 " of '%s'",
			      profile_ledger_name(p, e->metric), e->count,
			      profile_text(p, e->name));
	}
}

static void doubt_sum(const struct profile *p, uint32_t metric, struct doubts *d)
{
	int64_t sums[LEDGER_CLASSES] = {0};

	for (size_t i = 0; i < p->ledger.n; i++)
		if (p->ledger.at[i].metric == metric)
			sums[p->ledger.at[i].class] += p->ledger.at[i].count;
	if (sums[LEDGER_TAKEN] != sums[LEDGER_KEPT] + sums[LEDGER_LOST])
		doubt(d, "ledger of %s: %" PRId64 " taken, but %" PRId64 " kept + %" PRId64 " lost",
		      profile_ledger_name(p, metric), sums[LEDGER_TAKEN], sums[LEDGER_KEPT],
		      sums[LEDGER_LOST]);
}

static void doubt_ledger(const struct profile *p, struct doubts *d)
{
	doubt_counts(p, d);
	for (uint32_t m = 0; m < p->metrics.n; m++)
		doubt_sum(p, m, d);
	doubt_sum(p, LEDGER_ZONES, d);
	doubt_sum(p, LEDGER_WAITS, d);
}

static void doubt_run(const struct profile *p, struct doubts *d)
{
	if (p->duration_ns < 0)
		doubt(d, "a length of %" PRId64 " ns", p->duration_ns);
	if (p->hz < 0)
		doubt(d, "a rate of %g Hz", p->hz);
}

static void doubt_amounts(const struct zone *z, size_t row, struct doubts *d)
{
	for (const struct zone_column *c = zone_columns; c->name; c++) {
		long double v = zone_column_number(c, z);

		if (v < 0)
			doubt(d, "zones, row %zu: %s %.17Lg", row, c->name, v);
	}
}

static void doubt_zones(const struct profile *p, struct doubts *d)
{
	for (size_t i = 0; i < p->zones.n; i++) {
		const struct zone *z = &p->zones.at[i];

		doubt_amounts(z, i, d);
		if (z->untimed > z->counts || z->unwound > z->counts - z->untimed)
			doubt(d, "zones, row %zu: more untimed calls than calls", i);
	}
}

static void doubt_edges(const struct profile *p, struct doubts *d)
{
	for (size_t i = 0; i < p->zone_edges.n; i++) {
		const struct zone_edge *e = &p->zone_edges.at[i];

		if (e->timed > e->counts)
			doubt(d, "zone_edges, row %zu: more timed calls than calls", i);
		if (e->total_ns < 0 || e->self_ns < 0 || e->comp_total_ns < 0 ||
		    e->comp_self_ns < 0)
			doubt(d, "zone_edges, row %zu: a time below 0", i);
		if (!i && (e->counts || e->total_ns || e->self_ns))
			doubt(d, "zone_edges, row 0: calls of the root");
	}
}

static void doubt_threads(const struct profile *p, struct doubts *d)
{
	for (size_t i = 0; i < p->zone_threads.n; i++) {
		const struct zone_in_thread *e = &p->zone_threads.at[i];

		if (e->total_ns < 0 || e->self_ns < 0 || e->min_ns < 0 || e->max_ns < 0)
			doubt(d, "zone_threads, row %zu: a time below 0", i);
	}
}

static void doubt_hist(const struct profile *p, struct doubts *d)
{
	for (size_t i = 0; i < p->zone_hist.n; i++) {
		const struct zone_bin *e = &p->zone_hist.at[i];

		if (e->low_ns >= e->high_ns)
			doubt(d, "zone_hist, row %zu: from %" PRId64 " to %" PRId64 " ns", i,
			      e->low_ns, e->high_ns);
	}
}

static void doubt_values(const struct profile *p, struct doubts *d)
{
	for (size_t i = 0; i < p->zone_values.n; i++)
		if (p->zone_values.at[i].value < 0)
			doubt(d, "zone_values, row %zu: %" PRId64 " of '%s'", i,
			      p->zone_values.at[i].value,
			      profile_text(p, p->zone_values.at[i].name));
}

void doubts_find(const struct profile *p, struct doubts *d)
{
	static void (*const finders[])(const struct profile *, struct doubts *) = {
		doubt_ledger,  doubt_run,  doubt_zones,	 doubt_edges,
		doubt_threads, doubt_hist, doubt_values,
	};

	*d = (struct doubts){0};
	for (size_t i = 0; i < sizeof(finders) / sizeof(*finders); i++)
		finders[i](p, d);
}

void doubts_release(struct doubts *d)
{
	for (size_t i = 0; i < d->n; i++)
		free(d->text[i]);
	*d = (struct doubts){0};
}

char *doubts_text(const struct profile *p)
{
	struct str s = {0};
	struct doubts d;

	doubts_find(p, &d);
	for (size_t i = 0; i < d.n; i++)
		str_addf(&s, "%s%s", i ? "; " : "", d.text[i]);
	if (d.all > d.n)
		str_addf(&s, "; and %zu more", d.all - d.n);
	doubts_release(&d);
	return s.n ? str_steal(&s) : NULL;
}
