#include "timeline/timeline_options.h"

#include <errno.h>
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
	const char *rest;
	const double events = units_parse_binary(text, &rest);

	o->stops = !strcmp(rest, ",stop");
	if (rest != text && (!*rest || o->stops || !strcmp(rest, ",oldest")) &&
	    events >= LEAST_EVENTS && events <= WIRE_EVENTS_MOST) {
		o->events = (uint64_t)events;
		return 0;
	}
	return err(-EINVAL,
		   "--events %s: how many events are kept, from 1K to 64M; \",oldest\" behind it "
		   "drops the oldest ones beyond, as without, \",stop\" all later ones",
		   text);
}

static int parse_last(const char *text, struct timeline_options *o)
{
	int64_t ns = 0;

	if (units_parse_ns(text, "--last", &ns))
		return -EINVAL;
	if (!ns)
		return err(-EINVAL, "--last %s: how long before the end: 10s, 50ms", text);
	o->last_ns = (uint64_t)ns;
	return 0;
}

/* "NAME arg0==3", "NAME arg1==\"x\"". */
static int parse_equal(const char *condition, struct timeline_trigger *t)
{
	const char *equal = strstr(condition, "=="), *name = equal;
	const char *value = equal + 2 + strspn(equal + 2, " ");

	while (name > condition && name[-1] == ' ')
		name--;
	t->argument = name > condition ? (uint32_t)(name[-1] - '0') : TIMELINE_ARGUMENTS;
	name -= strlen(" arg0");
	if (name <= condition || strncmp(name, " arg", 4) != 0 ||
	    t->argument >= TIMELINE_ARGUMENTS || !*value)
		return err(-EINVAL,
			   "--trigger '%s': it is a function, the number of an argument and its "
			   "value, as in 'open arg0==\"/etc/hosts\"' or 'f arg1==3'",
			   condition);
	while (name > condition && name[-1] == ' ')
		name--;
	t->kind = TIMELINE_TRIGGER_ARGUMENT;
	memcpy(t->pattern, condition, (size_t)(name - condition));
	strcpy(t->value, value);
	return 0;
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
	if (strstr(condition, "=="))
		return parse_equal(condition, t);
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

static const struct {
	const char *name;
	enum timeline_type type;
} types[] = {
	{"int", TIMELINE_INT},	   {"uint", TIMELINE_UINT},    {"long", TIMELINE_LONG},
	{"ulong", TIMELINE_ULONG}, {"size_t", TIMELINE_ULONG}, {"ptr", TIMELINE_PTR},
	{"bool", TIMELINE_BOOL},   {"char", TIMELINE_CHAR},    {"str", TIMELINE_STR},
	{"float", TIMELINE_FLOAT}, {"double", TIMELINE_FLOAT},
};

static enum timeline_type type_of(const char *name, size_t n)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (strlen(types[i].name) == n && !strncmp(types[i].name, name, n))
			return types[i].type;
	return TIMELINE_NO_ARGUMENT;
}

/* "int, str)": the rest of the text; false: it is wrong. */
static bool parse_types(const char *rest, struct timeline_args *out)
{
	uint32_t registers = 0;

	for (size_t i = 0; i < TIMELINE_ARGUMENTS; i++) {
		const size_t n = strcspn(rest += strspn(rest, " "), " ,)");

		out->types[i] = (uint8_t)type_of(rest, n);
		if (out->types[i] == TIMELINE_NO_ARGUMENT)
			return false;
		if (out->types[i] != TIMELINE_FLOAT) {
			if (registers == WIRE_EVENT_ARGUMENTS)
				return false;
			out->registers |= 1u << registers;
			if (out->types[i] == TIMELINE_STR)
				out->texts |= 1u << registers;
			registers++;
		}
		rest += n + strspn(rest + n, " ");
		if (!strcmp(rest, ")"))
			return registers;
		if (*rest++ != ',')
			return false;
	}
	return false;
}

static int parse_args(const char *text, struct timeline_options *o)
{
	struct timeline_args *args = &o->args[o->n_args];
	const char *open = strrchr(text, '(');

	if (o->n_args == TIMELINE_ARGS)
		return err(-E2BIG, "--args: at most %d functions", TIMELINE_ARGS);
	*args = (struct timeline_args){0};
	if (!open || open == text || open - text >= TIMELINE_TRIGGER_TEXT ||
	    !parse_types(open + 1, args))
		return err(-EINVAL,
			   "--args '%s': a function and the types of its first arguments, up to "
			   "six of them int, uint, long, ulong, size_t, ptr, bool, char or str: "
			   "'open(str, int)'; float and double stand for those that cannot be read",
			   text);
	memcpy(args->pattern, text, (size_t)(open - text));
	o->n_args++;
	return 0;
}

static void *parsed(int (*parse)(const char *, struct timeline_options *), const char *argument,
		    void *before)
{
	struct timeline_options *o = timeline_options_parse(NULL, before);

	if (!parse(argument, o))
		return o;
	if (o != before)
		free(o);
	return NULL;
}

void *timeline_options_events(const char *argument, void *before)
{
	return parsed(parse_events, argument, before);
}

void *timeline_options_last(const char *argument, void *before)
{
	return parsed(parse_last, argument, before);
}

void *timeline_options_trigger(const char *argument, void *before)
{
	return parsed(parse_trigger, argument, before);
}

void *timeline_options_args(const char *argument, void *before)
{
	return parsed(parse_args, argument, before);
}

const char *timeline_options_zone(const void *options, size_t i, uint32_t *arguments)
{
	const struct timeline_options *o = options;

	*arguments = 0;
	for (uint32_t k = 0; k < o->n_triggers; k++)
		if (o->triggers[k].pattern[0] && !i--)
			return o->triggers[k].pattern;
	if (i >= o->n_args)
		return NULL;
	*arguments = o->args[i].registers;
	return o->args[i].pattern;
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
