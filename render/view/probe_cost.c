#include "view/probe_cost.h"

#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "model/zone_compensate.h"

#define NAMED_MOST 3 /* zones that are named */
/* Percent of the capture's length from which the cost of probes is to be seen, and of that cost
 * from which it is worth while to leave some of many zones out. */
#define HIGH 10.0
#define MUCH 20.0
#define MANY 10

struct dear {
	const struct zone *zone;
	double ns;
};

struct dears {
	struct dear at[NAMED_MOST]; /* the dearest first */
	size_t n;
	size_t called; /* zones that cost anything */
	double ns;     /* of the n together */
};

static void take(struct dears *d, struct dear one)
{
	for (size_t i = 0; i < NAMED_MOST && one.ns > 0; i++) {
		const struct dear old = i < d->n ? d->at[i] : (struct dear){0};

		if (one.ns <= old.ns)
			continue;
		d->at[i] = one;
		one = old;
		d->n += i == d->n;
	}
}

static struct dears find(const struct profile *p)
{
	struct dears d = {0};

	for (size_t i = 0; i < p->zones.n; i++) {
		const struct zone *z = &p->zones.at[i];
		const double ns = (double)z->probe_ns;

		d.called += ns > 0;
		take(&d, (struct dear){z, ns});
	}
	for (size_t i = 0; i < d.n; i++)
		d.ns += d.at[i].ns;
	return d;
}

static bool is_high(const struct profile *p, double ns)
{
	return ns * 100 >= (double)p->duration_ns * HIGH;
}

/* Whoever runs a probed file pays, target or not. */
static void elsewhere_fact(const struct profile *p, struct doc_block *b)
{
	const double hits = profile_cost_of(p, ZONE_COST_HITS_ELSEWHERE);
	const double ns = profile_cost_of(p, ZONE_COST_ELSEWHERE);
	char times[UNITS_BUF], cost[UNITS_BUF], share[UNITS_BUF];

	/* What eprof itself does meanwhile is not worth a line. */
	if (ns * 1000 >= (double)p->duration_ns)
		doc_fact(b, is_high(p, ns), "Elsewhere",
			 "what is no target hit the probes %s times, which cost it %s, %s of the "
			 "capture's length",
			 units_count(times, sizeof(times), (int64_t)hits),
			 units_ns(cost, sizeof(cost), ns),
			 units_percent(share, sizeof(share), ns, (double)p->duration_ns));
}

void probe_cost_fact(const struct view_input *in, struct doc_block *b)
{
	const double all = profile_cost_of(in->profile, ZONE_COST_ALL);
	const double length = (double)in->profile->duration_ns;
	const bool high = is_high(in->profile, all);
	char cost[UNITS_BUF], share[UNITS_BUF];
	struct dears d = find(in->profile);
	struct str s = {0};

	if (length <= 0)
		return;
	if (all <= 0)
		return elsewhere_fact(in->profile, b);
	str_addf(&s, "cost what ran %s, %s of the capture's length",
		 units_ns(cost, sizeof(cost), all),
		 units_percent(share, sizeof(share), all, length));
	if (high && d.ns * 100 >= all * MUCH && d.called >= MANY) {
		str_addf(&s, "; %s of it for", units_percent(share, sizeof(share), d.ns, all));
		for (size_t i = 0; i < d.n; i++)
			str_addf(&s, "%s %s", i ? "," : "",
				 profile_text(in->profile, d.at[i].zone->name));
		str_add(&s, ": an exclusion (--zone '!NAME') leaves one out");
	}
	doc_fact(b, high, "Probes", "%s", s.s);
	str_release(&s);
	elsewhere_fact(in->profile, b);
}
