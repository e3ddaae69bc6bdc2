#include "query/zone_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "query/zone_condition.h"

/* --- what is known of them in some threads ---------------------------------------------------- */

/* A copy without figures: add_thread() fills those that the profile has by thread. */
static struct zone identity(const struct zone *z)
{
	return (struct zone){
		.name = z->name,
		.src_file = z->src_file,
		.src_line = z->src_line,
		.site_class = z->site_class,
		.exit_way = z->exit_way,
		.flags = z->flags,
		.module = z->module,
		.function = z->function,
		.address = z->address,
		.note = z->note,
	};
}

static void add_thread(struct zone *z, const struct zone_in_thread *t)
{
	if (t->total_ns && (!z->total_ns || t->min_ns < z->min_ns))
		z->min_ns = t->min_ns;
	if (t->max_ns > z->max_ns)
		z->max_ns = t->max_ns;
	z->counts += t->counts;
	z->total_ns += t->total_ns;
	z->self_ns += t->self_ns;
}

/* The figures of every zone in the selected threads; zones without a call there stay at 0. */
static int in_threads(const struct profile *p, const struct selection *sel, struct zone *zones)
{
	bool *thread = NULL;
	int rc = threads_choose(p, &sel->threads, &thread);

	for (size_t i = 0; !rc && i < p->zones.n; i++)
		zones[i] = identity(&p->zones.at[i]);
	for (size_t i = 0; !rc && i < p->zone_threads.n; i++) {
		const struct zone_in_thread *t = &p->zone_threads.at[i];

		if (!thread || thread[t->thread])
			add_thread(&zones[t->zone], t);
	}
	for (size_t i = 0; !rc && i < p->zones.n; i++)
		if (p->duration_ns > 0)
			zones[i].total_perc =
				100. * (double)zones[i].total_ns / (double)p->duration_ns;
	free(thread);
	return rc;
}

/* --- order ------------------------------------------------------------------------------------ */

struct order {
	const struct profile *profile;
	const struct zone_column *column;
	bool ascending;
};

/* The column of --sort and its direction; "-column" reverses it. -EINVAL with a text. */
static int parse_sort(struct order *o, const struct zone_events *events, const char *text,
		      bool elsewhere)
{
	bool turned = text[0] == '-';

	o->column = zone_events_column(events, text + turned);
	/* It may be a column of functions or threads. */
	if (!o->column && elsewhere && !zone_column_find(text + turned))
		return parse_sort(o, events, "total_ns", false);
	if (!o->column)
		return zone_events_no_column(events, "--sort: ", text + turned);
	o->ascending = (o->column->kind == ZONE_TEXT) != turned;
	return 0;
}

static int compare_column(const struct order *o, const struct zone_row *a, const struct zone_row *b)
{
	long double x, y;

	if (o->column->kind == ZONE_TEXT)
		return strcmp(zone_column_text(o->column, o->profile, &a->at),
			      zone_column_text(o->column, o->profile, &b->at));
	x = zone_row_number(o->column, a);
	y = zone_row_number(o->column, b);
	return order_up(x, y);
}

static int compare(const void *left, const void *right, void *order)
{
	const struct zone_row *a = left, *b = right;
	const struct order *o = order;
	int by = compare_column(o, a, b);

	if (by)
		return o->ascending ? by : -by;
	/* Among equal ones, as all zones that are only counted, those with most calls come first.
	 */
	return order_down(a->at.counts, b->at.counts) ?:
	       strcmp(profile_text(o->profile, a->at.name), profile_text(o->profile, b->at.name)) ?:
	       order_up(a->zone, b->zone);
}

/* --- all together ----------------------------------------------------------------------------- */

/* The conditions of --where, and how many of them are there. */
struct conditions {
	struct zone_condition at[SELECTION_CONDITIONS];
	size_t n;
};

static void conditions_release(struct conditions *c)
{
	while (c->n)
		zone_condition_release(&c->at[--c->n]);
}

static int conditions_init(struct conditions *c, const struct zone_events *events,
			   const struct selection *sel)
{
	int rc = 0;

	for (c->n = 0; !rc && c->n < sel->n_where; c->n += !rc)
		rc = zone_condition_init(&c->at[c->n], events, sel->where[c->n]);
	if (rc)
		conditions_release(c);
	return rc;
}

static bool all_hold(const struct conditions *c, const struct profile *p, const struct zone_row *r)
{
	for (size_t i = 0; i < c->n; i++)
		if (!zone_condition_holds(&c->at[i], p, r))
			return false;
	return true;
}

static void take_rows(const struct profile *p, const struct zone *zones, const bool *match,
		      const struct conditions *where, struct zone_rows *out)
{
	for (uint32_t i = 0; i < p->zones.n; i++) {
		struct zone_row row = {.zone = i, .at = zones[i]};

		if (!out->of_threads)
			row.events = zone_events_sums(&out->events, i);
		if ((match && !match[i]) || !all_hold(where, p, &row))
			continue;
		if (out->of_threads && !zones[i].counts)
			continue;
		vec_push(&out->rows, row);
	}
}

int zone_rows_build(const struct profile *p, const struct selection *sel, struct zone_rows *out)
{
	struct order order = {.profile = p};
	struct conditions where;
	_free_ struct zone *zones = NULL;
	_free_ bool *match = NULL;
	int rc;

	*out = (struct zone_rows){.of_threads = !thread_choice_is_all(&sel->threads)};
	zone_events_init(&out->events, p);
	rc = parse_sort(&order, &out->events, sel->sort ? sel->sort : "total_ns",
			sel->sort_elsewhere);
	if (!rc)
		rc = zone_match(p, sel->zone, &match);
	if (rc)
		return rc;
	if (out->of_threads) {
		zones = mem_zalloc(p->zones.n + 1, sizeof(*zones));
		rc = in_threads(p, sel, zones);
	}
	if (!rc)
		rc = conditions_init(&where, &out->events, sel);
	if (rc)
		return rc;
	take_rows(p, zones ? zones : p->zones.at, match, &where, out);
	vec_sort_by(&out->rows, compare, &order);
	conditions_release(&where);
	return 0;
}

bool zone_rows_have(const struct zone_rows *rows, const char *sort)
{
	return rows->events.profile &&
	       zone_events_column(&rows->events, sort + (sort[0] == '-')) != NULL;
}

void zone_rows_release(struct zone_rows *rows)
{
	vec_release(&rows->rows);
	zone_events_release(&rows->events);
}
