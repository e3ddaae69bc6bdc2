#include "query/zone_events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"

#define TITLE_MOST 40 /* bytes; the longest names of perf have some 45 */

const char *zone_event_unit(const char *name)
{
	static const char *const units[][2] = {
		{"msr/tsc/", "ticks"}, {"task-clock", "ns"}, {"cpu-clock", "ns"}};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		size_t n = strlen(units[i][0]);

		/* Alone, or with a modifier: "task-clock:u", "msr/tsc/u". */
		if (!strncmp(name, units[i][0], n) &&
		    (!name[n] || name[n] == ':' || name[n - 1] == '/'))
			return units[i][1];
	}
	return "";
}

static const char *help_of(const char *name)
{
	const char *unit = zone_event_unit(name);

	if (!strcmp(unit, "ticks"))
		return "ticks of the processor's time stamp counter, over the calls in Total";
	if (!strcmp(unit, "ns"))
		return "ns, over the calls in Total";
	return "how many there were in the calls in Total";
}

/* A column's heading: names in a foreign file may be long, and hold anything. */
static char *title_of(const char *name)
{
	char *clean = str_clean(name, strlen(name));
	size_t n = 0, step;

	if (strlen(clean) <= TITLE_MOST)
		return clean;
	while ((step = str_char(clean + n, strlen(clean + n))) && n + step < TITLE_MOST)
		n += step;
	memcpy(clean + n, "…", sizeof("…"));
	return clean;
}

static void add_column(struct zone_events *e, const char *name)
{
	struct zone_column c = {.name = mem_strdup(name),
				.title = title_of(name),
				.help = help_of(name),
				.kind = ZONE_COUNT,
				.field = ZONE_FIELD_EVENT,
				.offset = e->columns.n};

	vec_push(&e->columns, c);
}

void zone_events_init(struct zone_events *e, const struct profile *p)
{
	struct map place = {0}; /* of an event's name → column */
	size_t events = 0;

	*e = (struct zone_events){.profile = p};
	vec_each (v, &p->zone_values) {
		if (map_number(&place, v->name, events) != events)
			continue;
		if (events++ < ZONE_EVENTS_MOST)
			add_column(e, profile_text(p, v->name));
	}
	e->more = events - e->columns.n;
	if (e->columns.n)
		e->sums = mem_zalloc(p->zones.n * e->columns.n, sizeof(*e->sums));
	vec_each (v, &p->zone_values) {
		uint32_t column = *map_get(&place, v->name);

		if (column < e->columns.n)
			e->sums[v->zone * e->columns.n + column] += v->value;
	}
	map_release(&place);
}

void zone_events_release(struct zone_events *e)
{
	for (size_t i = 0; i < e->columns.n; i++) {
		free((char *)e->columns.at[i].name);
		free((char *)e->columns.at[i].title);
	}
	vec_release(&e->columns);
	free(e->sums);
	*e = (struct zone_events){0};
}

const struct zone_column *zone_events_find(const struct zone_events *e, const char *name)
{
	for (size_t i = 0; i < e->columns.n; i++)
		if (!strcmp(e->columns.at[i].name, name))
			return &e->columns.at[i];
	return NULL;
}

const int64_t *zone_events_sums(const struct zone_events *e, uint32_t zone)
{
	return e->sums ? e->sums + zone * e->columns.n : NULL;
}

const struct zone_column *zone_events_column(const struct zone_events *e, const char *name)
{
	const struct zone_column *c = zone_column_find(name);

	if (c)
		return zone_column_is_known(c, e->profile) ? c : NULL;
	return zone_events_find(e, name);
}

int zone_events_no_column(const struct zone_events *e, const char *before, const char *name)
{
	struct str names = {0};

	if (zone_column_find(name))
		return err(-EINVAL, "%sthe profile does not know '%s' of its zones", before, name);
	for (size_t i = 0; i < e->columns.n; i++)
		str_addf(&names, "%s%s", i ? ", " : "", e->columns.at[i].title);
	err(-EINVAL, "%szones have no column '%s': see eprof-render --help%s%s", before, name,
	    names.n ? "; the profile's events are " : "", str_text(&names));
	str_release(&names);
	return -EINVAL;
}
