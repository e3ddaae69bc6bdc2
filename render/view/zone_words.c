#include "view/zone_words.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "model/meta.h"
#include "model/taken.h"
#include "model/zone_compensate.h"
#include "view/base.h"

char *zone_cell_text(const struct zone_column *c, const struct profile *p, const struct zone *z)
{
	double v = (double)zone_column_number(c, z);

	if (!zone_column_is_known(c, p))
		return mem_strdup("–");
	switch (c->kind) {
	case ZONE_TEXT:
		if (c->field == ZONE_FIELD_MODULE)
			return mem_strdup(profile_module_name(p, z->module));
		return mem_strdup(zone_column_text(c, p, z));
	case ZONE_TIME:
		if (!z->total_ns)
			return mem_strdup("–");
		return mem_strdup(ns_text(v));
	case ZONE_COUNT:
		if (c->field == ZONE_FIELD_FAULTS && !zone_timed(z))
			return mem_strdup("–");
		return mem_strdup(count_text((int64_t)zone_column_number(c, z)));
	case ZONE_PERCENT:
		if (!z->total_ns)
			return mem_strdup("–");
		return mem_strdup(percent_text(v, 100));
	case ZONE_CODE:
		if (c->field == ZONE_FIELD_U64)
			return mem_printf("0x%llx", (unsigned long long)zone_column_number(c, z));
		return mem_printf("%.0f", v);
	case ZONE_SQUARE:
		break;
	}
	return mem_printf("%.4g", v);
}

/* Margins of more than so much of a figure stand beside it, in percent. */
#define SHOWN_FROM 10

static const struct {
	size_t net, margin; /* int64_t in struct zone */
} margins[] = {
	{offsetof(struct zone, comp_total_ns), offsetof(struct zone, total_margin_ns)},
	{offsetof(struct zone, comp_self_ns), offsetof(struct zone, self_margin_ns)},
	{offsetof(struct zone, comp_mean_ns), offsetof(struct zone, mean_margin_ns)},
};
#define MARGINS (sizeof(margins) / sizeof(*margins))

static int64_t field(const struct zone *z, size_t offset)
{
	return *(const int64_t *)((const char *)z + offset);
}

static bool is_wide(const struct zone *z, size_t i)
{
	return (double)field(z, margins[i].margin) * 100 >
	       (double)field(z, margins[i].net) * SHOWN_FROM;
}

bool zone_shows_margin(const struct zone *z)
{
	for (size_t i = 0; i < MARGINS; i++)
		if (z->total_ns && is_wide(z, i))
			return true;
	return false;
}

char *zone_net_text(const struct zone_column *c, const struct profile *p, const struct zone *z,
		    bool always)
{
	char *text = zone_cell_text(c, p, z);
	char margin[UNITS_BUF];

	for (size_t i = 0; i < MARGINS; i++) {
		_free_ char *net = text;

		if (c->field != ZONE_FIELD_I64 || c->offset != margins[i].net || !z->total_ns ||
		    !(z->flags & ZONE_COMPENSATED) || !(always || is_wide(z, i)))
			net = NULL;
		else
			text = mem_printf("%s ±%s", net,
					  units_ns(margin, sizeof(margin),
						   (double)field(z, margins[i].margin)));
	}
	return text;
}

/* Events are summed up over timed calls, as times are. */
static char *event_text(const struct zone_column *c, const struct zone_row *r)
{
	if (!r->events || !zone_timed(&r->at))
		return mem_strdup("–");
	return mem_strdup(count_text(r->events[c->offset]));
}

void zone_cell(struct doc_table *t, const struct zone_column *c, const struct profile *p,
	       const struct zone_row *r)
{
	bool event = c->field == ZONE_FIELD_EVENT;
	_free_ char *text = event ? event_text(c, r) : zone_net_text(c, p, &r->at, false);
	_free_ char *raw = zone_row_print(c, p, r);

	if (c->kind == ZONE_TEXT && c->offset == offsetof(struct zone, name))
		doc_cell_code(t, frame_class_of(&p->functions.at[r->at.function]), text);
	else
		doc_cell(t, (double)zone_row_number(c, r), "%s", text);
	doc_raw(t, raw);
}

static void add_count(struct str *s, uint64_t n, const char *what)
{
	char count[UNITS_BUF];

	if (n)
		str_addf(s, "%s%s %s", s->n ? "; " : "",
			 units_count(count, sizeof(count), (int64_t)n), what);
}

bool zone_is_counted(const struct zone *z)
{
	return z->counts && z->untimed == z->counts;
}

bool zone_is_detached(const struct zone *z)
{
	return z->flags & ZONE_DETACHED;
}

char *zone_notes(const struct zone *z)
{
	struct str s = {0};

	if (z->flags & ZONE_DETACHED)
		str_add(&s, "detached");
	if (z->flags & ZONE_SHORT)
		str_addf(&s, "%sshort", s.n ? "; " : "");
	if (zone_is_dwarfed(z))
		str_addf(&s, "%sdwarfed", s.n ? "; " : "");
	if (zone_is_counted(z))
		str_addf(&s, "%scounted", s.n ? "; " : "");
	else
		add_count(&s, z->untimed, "untimed");
	add_count(&s, z->unwound, "unwound");
	add_count(&s, z->in_flight, "in flight");
	add_count(&s, z->at_start, "open at start");
	return str_steal(&s);
}

char *zone_clock(const struct profile *p)
{
	const char *clock = profile_run(p, RUN_CLOCK);

	if (!clock || !clock[0] || !strcmp(clock, "wall"))
		return mem_strdup("wall clock");
	return mem_printf("clock: %s", clock);
}

bool zone_has_clock(const struct profile *p, const char *name)
{
	const char *at = profile_run(p, RUN_CLOCK);

	while (at && *at) {
		size_t n = strcspn(at, ", ");

		if (n == strlen(name) && !strncmp(at, name, n))
			return true;
		at += n;
		at += strspn(at, ", ");
	}
	return false;
}

bool zone_is_netted(const struct profile *p)
{
	vec_each (z, &p->zones) {
		if ((z->flags & ZONE_COMPENSATED) &&
		    (z->comp_total_ns != z->total_ns || z->comp_self_ns != z->self_ns))
			return true;
	}
	return false;
}

struct zone_sums zone_sum(const struct profile *p)
{
	struct zone_sums sums = {.zones = p->zones.n};

	vec_each (z, &p->zones) {
		sums.calls += z->counts;
		sums.in_flight += z->in_flight;
		sums.at_start += z->at_start;
		sums.unwound += z->unwound;
		sums.untimed += z->untimed;
		sums.shorts += !!(z->flags & ZONE_SHORT);
		sums.dwarfed += zone_is_dwarfed(z);
		sums.margins += zone_shows_margin(z);
		sums.counted += zone_is_counted(z);
		sums.detached += zone_is_detached(z);
	}
	return sums;
}

bool zone_says_none(const struct view_input *in, struct doc *doc)
{
	if (profile_has(in->profile, PART_ZONES))
		return false;
	doc_text(doc, "No zones in this profile: eprof --zone PATTERN counts and times functions.");
	return true;
}

char *zone_ignored_options(const struct selection *s, bool threads)
{
	const struct {
		const char *option;
		bool given;
	} options[] = {
		{"--from", s->from_ns},
		{"--to", s->to_ns},
		{"--focus", s->focus},
		{"--ignore", s->ignore},
		{"--omit", s->omit},
		{"--reason", s->reason},
		{"--module", s->module},
		{"--file", s->file},
		{"--omit-idle", s->omit_idle},
		{"--frames", s->frames},
		{"--thread", threads && s->threads.thread},
		{"--pid", threads && s->threads.pid},
		{"--cgroup", threads && s->threads.cgroup},
	};
	struct str text = {0};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (options[i].given)
			str_addf(&text, "%s%s", text.n ? ", " : "", options[i].option);
	if (!text.n)
		return NULL;
	str_addf(&text, " %s not apply to zones: they are of the whole capture",
		 strchr(text.s, ',') ? "do" : "does");
	return str_steal(&text);
}

/* From 1 ns on, for the logarithm's sake. */
static double low_of(const struct zone_bin *b)
{
	return fmax(1, (double)b->low_ns);
}

static void widen(struct zone_shape *s, const struct zone_bin *b)
{
	s->low_ns = s->low_ns > 0 ? fmin(s->low_ns, low_of(b)) : low_of(b);
	s->high_ns = fmax(s->high_ns, low_of(b));
}

static void add(struct zone_shape *s, const struct zone_bin *b)
{
	double all = log(s->high_ns / s->low_ns), part = log(low_of(b) / s->low_ns);
	size_t step = all > 0 ? (size_t)fmin(SHAPE_STEPS - 1, SHAPE_STEPS * part / all) : 0;

	s->calls[step] += (double)b->count;
}

struct zone_shape *zone_shapes(const struct profile *p)
{
	struct zone_shape *shapes;

	if (!p->zone_hist.n)
		return NULL;
	shapes = mem_zalloc(p->zones.n, sizeof(*shapes));
	for (size_t i = 0; i < p->zone_hist.n; i++)
		widen(&shapes[p->zone_hist.at[i].zone], &p->zone_hist.at[i]);
	for (size_t i = 0; i < p->zone_hist.n; i++)
		add(&shapes[p->zone_hist.at[i].zone], &p->zone_hist.at[i]);
	return shapes;
}

void zone_shape_cell(struct doc_table *t, const struct zone_shape *shape)
{
	size_t steps = shape->high_ns > shape->low_ns ? SHAPE_STEPS : shape->high_ns > 0;

	doc_spark(t, shape->calls, steps);
}

#define NAMED_MOST 3 /* zones that are named */

/* Percent of the capture's length from which the cost of probes is a warning, and of that cost
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

static void keep_dear(struct dears *d, struct dear one)
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

static struct dears find_dear(const struct profile *p)
{
	struct dears d = {0};

	vec_each (z, &p->zones) {
		const double ns = (double)z->probe_ns;

		d.called += ns > 0;
		keep_dear(&d, (struct dear){z, ns});
	}
	for (size_t i = 0; i < d.n; i++)
		d.ns += d.at[i].ns;
	return d;
}

static bool is_high(const struct profile *p, double ns)
{
	return ns * 100 >= (double)p->duration_ns * HIGH;
}

bool probe_cost_is_high(const struct view_input *in)
{
	return in->profile->duration_ns > 0 &&
	       is_high(in->profile, profile_cost_of(in->profile, ZONE_COST_ALL));
}

/* Every process that runs a probed file pays for hits, target or not. */
static void elsewhere_fact(const struct profile *p, struct doc_block *b)
{
	const double hits = profile_cost_of(p, PROBE_COST_HITS_ELSEWHERE) +
			    profile_cost_of(p, ZONE_COST_HITS_ELSEWHERE);
	const double ns =
		profile_cost_of(p, PROBE_COST_ELSEWHERE) + profile_cost_of(p, ZONE_COST_ELSEWHERE);
	char times[UNITS_BUF], cost[UNITS_BUF];

	/* Less comes from eprof itself, and is not worth a line. */
	if (ns * 1000 >= (double)p->duration_ns)
		doc_fact(b, is_high(p, ns), "Elsewhere",
			 "other processes and threads hit the probes %s times, which cost them %s, "
			 "%s of the capture's length",
			 units_count(times, sizeof(times), (int64_t)hits),
			 units_ns(cost, sizeof(cost), ns),
			 percent_text(ns, (double)p->duration_ns));
}

void probe_cost_fact(const struct view_input *in, struct doc_block *b)
{
	const double all = profile_cost_of(in->profile, ZONE_COST_ALL);
	const double length = (double)in->profile->duration_ns;
	const bool high = is_high(in->profile, all);
	const double ran = profile_cost_of(in->profile, COST_RAN);
	const bool has_base = profile_slowdown(in->profile, &(struct slowdown_figure){0}, NULL);
	char cost[UNITS_BUF], share[UNITS_BUF];
	struct dears d = find_dear(in->profile);
	struct str s = {0};

	if (length <= 0)
		return;
	if (all <= 0)
		return elsewhere_fact(in->profile, b);
	str_addf(&s, "cost the target %s, %s of %s", units_ns(cost, sizeof(cost), all),
		 units_percent(share, sizeof(share), all, has_base ? ran : length),
		 has_base ? "its CPU time" : "the capture's length");
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
