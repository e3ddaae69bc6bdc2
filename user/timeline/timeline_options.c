#include "timeline/timeline_options.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/units.h"
#include "wire_event.h"

#define LEAST_EVENTS 1024

void *timeline_options_parse(const char *argument, void *before)
{
	(void)argument;
	return before ? before : mem_zalloc(1, sizeof(struct timeline_options));
}

/* "1M", "200K,stop", "5000,oldest". */
static int parse_events(const char *text, struct timeline_options *o)
{
	static const char units[] = "KM";
	char *end;
	const double n = strtod(text, &end);
	const char *unit = *end ? strchr(units, *end) : NULL;
	const double events = unit ? ldexp(n, 10 * (int)(unit - units + 1)) : n;
	const char *rest = end + (unit != NULL);

	o->stops = !strcmp(rest, ",stop");
	if (end != text && (!*rest || o->stops || !strcmp(rest, ",oldest")) &&
	    events >= LEAST_EVENTS && events <= WIRE_EVENTS_MOST) {
		o->events = (uint64_t)events;
		return 0;
	}
	return err(-EINVAL,
		   "--events %s: how many events are kept, from 1K to 64M; \",oldest\" behind it "
		   "drops the oldest ones beyond, as without, \",stop\" all later ones",
		   text);
}

void *timeline_options_events(const char *argument, void *before)
{
	struct timeline_options *o = timeline_options_parse(NULL, before);

	if (!parse_events(argument, o))
		return o;
	if (o != before)
		free(o);
	return NULL;
}

void *timeline_options_last(const char *argument, void *before)
{
	struct timeline_options *o = timeline_options_parse(NULL, before);
	int64_t ns = 0;

	if (!units_parse_ns(argument, "--last", &ns) && ns > 0) {
		o->last_ns = (uint64_t)ns;
		return o;
	}
	if (o != before)
		free(o);
	return NULL;
}

/* "ZONE>10ms", "runnable>5ms", "exception", each with ",N" behind it. */
static int parse_trigger(const char *text, struct timeline_options *o)
{
	struct timeline_trigger *t = &o->triggers[o->n_triggers];
	const char *above = strrchr(text, '>'), *comma = strrchr(text, ',');
	_free_ char *condition = NULL, *bound = NULL;
	int64_t ns = 0, most = TIMELINE_TRIGGERS_FIRE;

	if (comma && above && comma < above)
		comma = NULL;
	if (comma && units_parse_int(comma + 1, "--trigger", 1, 1000000, &most))
		return -EINVAL;
	condition = mem_strndup(text, comma ? (size_t)(comma - text) : strlen(text));
	if (o->n_triggers == TIMELINE_TRIGGERS || strlen(text) >= TIMELINE_TRIGGER_TEXT)
		return err(-E2BIG, "--trigger '%s': at most %d of at most %d characters", text,
			   TIMELINE_TRIGGERS, TIMELINE_TRIGGER_TEXT - 1);
	*t = (struct timeline_trigger){.kind = TIMELINE_TRIGGER_EXCEPTION};
	strcpy(t->text, condition);
	o->triggers_most += (uint32_t)most;
	o->n_triggers++;
	if (!strcmp(condition, "exception"))
		return 0;
	if (!above || above == text)
		return err(-EINVAL,
			   "--trigger '%s': it is a function and a time ('parse>10ms'), "
			   "'runnable>5ms' or 'exception'",
			   text);
	bound = mem_strdup(strrchr(condition, '>') + 1);
	if (units_parse_ns(bound, "--trigger", &ns))
		return -EINVAL;
	t->least_ns = (uint64_t)ns;
	t->kind =
		str_starts(condition, "runnable>") ? TIMELINE_TRIGGER_READY : TIMELINE_TRIGGER_CALL;
	if (t->kind == TIMELINE_TRIGGER_CALL)
		memcpy(t->pattern, condition, (size_t)(strrchr(condition, '>') - condition));
	return 0;
}

void *timeline_options_trigger(const char *argument, void *before)
{
	struct timeline_options *o = timeline_options_parse(NULL, before);

	if (!parse_trigger(argument, o))
		return o;
	if (o != before)
		free(o);
	return NULL;
}

const char *timeline_options_zone(const void *options, size_t i)
{
	const struct timeline_options *o = options;

	for (uint32_t k = 0; k < o->n_triggers; k++)
		if (o->triggers[k].pattern[0] && !i--)
			return o->triggers[k].pattern;
	return NULL;
}

static uint64_t wanted(const struct timeline_options *o)
{
	return o->events ? o->events : TIMELINE_EVENTS;
}

uint64_t timeline_options_slots(const struct timeline_options *o)
{
	uint64_t slots = LEAST_EVENTS;

	while (slots < wanted(o))
		slots *= 2;
	return slots;
}

void timeline_options_text(const struct timeline_options *o, struct str *out)
{
	char n[UNITS_BUF];

	str_addf(out, "a timeline of the %s %s events", o->stops ? "first" : "last",
		 units_count(n, sizeof(n), (int64_t)wanted(o)));
	for (uint32_t i = 0; i < o->n_triggers; i++)
		str_addf(out, "%s '%s'", i ? "," : " around", o->triggers[i].text);
	if (o->last_ns)
		str_addf(out, ", at most %s", units_ns(n, sizeof(n), (double)o->last_ns));
}
