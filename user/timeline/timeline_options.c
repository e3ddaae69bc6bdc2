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

/* "NAME arg0==3", "NAME path==\"x\"". */
static int parse_equal(const char *condition, struct timeline_trigger *t)
{
	const char *equal = strstr(condition, "=="), *end = equal, *name;
	const char *value = equal + 2 + strspn(equal + 2, " ");

	while (end > condition && end[-1] == ' ')
		end--;
	for (name = end; name > condition && name[-1] != ' ';)
		name--;
	if (name == condition || name == end || (size_t)(end - name) >= sizeof(t->argument) ||
	    !*value)
		return err(-EINVAL,
			   "--trigger '%s': it is a function, the name or the number of an "
			   "argument and its value, as in 'open path==\"/etc/hosts\"' or "
			   "'f arg1==3'",
			   condition);
	memcpy(t->argument, name, (size_t)(end - name));
	while (name > condition && name[-1] == ' ')
		name--;
	if (name == condition)
		return err(-EINVAL, "--trigger '%s': of which function? 'f %s'", condition,
			   condition);
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
	enum value_kind kind;
	uint8_t bytes;
} types[] = {
	{"int", VALUE_INT, 4},	   {"uint", VALUE_UINT, 4},    {"long", VALUE_INT, 8},
	{"ulong", VALUE_UINT, 8},  {"size_t", VALUE_UINT, 8},  {"ptr", VALUE_POINTER, 8},
	{"bool", VALUE_BOOL, 1},   {"char", VALUE_CHAR, 1},    {"str", VALUE_TEXT, 8},
	{"float", VALUE_FLOAT, 4}, {"double", VALUE_FLOAT, 8},
};

/* Adds a parameter of the type that the @n bytes of @name say. */
static bool add_type(const char *name, size_t n, uint8_t *registers, struct signature *out)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		struct parameter *p = &out->at[out->n];

		if (strlen(types[i].name) != n || strncmp(types[i].name, name, n) != 0)
			continue;
		if (types[i].kind != VALUE_FLOAT && *registers == PLACE_REGISTERS)
			return false;
		p->kind = (uint8_t)types[i].kind;
		p->bytes = types[i].bytes;
		p->place = types[i].kind == VALUE_FLOAT ? (uint8_t)PLACE_VECTOR : (*registers)++;
		out->n++;
		return true;
	}
	return false;
}

/* "int, str)": false: it is wrong. */
static bool parse_types(const char *rest, struct signature *out)
{
	uint8_t registers = 0;

	while (out->n < TIMELINE_ARGUMENTS) {
		const size_t n = strcspn(rest += strspn(rest, " "), " ,)");

		if (!add_type(rest, n, &registers, out))
			return false;
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
	const size_t n = open ? (size_t)(open - text) : strlen(text);

	if (o->n_args == TIMELINE_ARGS)
		return err(-E2BIG, "--args: at most %d functions", TIMELINE_ARGS);
	*args = (struct timeline_args){.by_debuginfo = !open};
	if (!n || n >= TIMELINE_TRIGGER_TEXT || (open && !parse_types(open + 1, &args->signature)))
		return err(-EINVAL,
			   "--args '%s': a function whose debug information tells its parameters, "
			   "as 'open', or with the types of its first arguments, up to six of them "
			   "int, uint, long, ulong, size_t, ptr, bool, char or str: "
			   "'open(str, int)'; float and double stand for those that cannot be read",
			   text);
	memcpy(args->pattern, text, n);
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
	/* Where they are told by debug information, that is read later than places are chosen. */
	*arguments = o->args[i].by_debuginfo ? (1u << PLACE_REGISTERS) - 1
					     : signature_registers(&o->args[i].signature);
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
