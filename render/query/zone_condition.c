#include "query/zone_condition.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/units.h"

/* Longer ones before those that they start with. */
static const struct {
	const char *sign;
	enum zone_operator op;
} operators[] = {
	{">=", ZONE_GE}, {"<=", ZONE_LE}, {"!=", ZONE_NE},
	{">", ZONE_GT},	 {"<", ZONE_LT},  {"=", ZONE_EQ},
};

/* The operator at @at and what follows it; -EINVAL where there is none. */
static int read_operator(const char *at, enum zone_operator *op, const char **value)
{
	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++) {
		size_t n = strlen(operators[i].sign);

		if (strncmp(at, operators[i].sign, n) != 0)
			continue;
		*op = operators[i].op;
		*value = at + n;
		return 0;
	}
	return -EINVAL;
}

static int read_number(struct zone_condition *c, const char *value)
{
	int64_t ns = 0;
	char *end;
	int rc = 0;

	if (c->column->kind == ZONE_TIME) {
		rc = units_parse_ns(value, c->column->name, &ns);
		c->number = ns;
		return rc;
	}
	c->number = strtold(value, &end);
	if (c->column->kind == ZONE_PERCENT && end != value && *end == '%')
		end++;
	if (end == value || *end || !isfinite(c->number))
		return err(-EINVAL, "%s: '%s' is no number", c->column->name, value);
	return 0;
}

static int read_value(struct zone_condition *c, const char *value)
{
	if (c->column->kind != ZONE_TEXT)
		return read_number(c, value);
	if (c->op != ZONE_EQ && c->op != ZONE_NE)
		return err(-EINVAL, "%s is a text: compare it with = or !=", c->column->name);
	return pattern_new(value, &c->pattern);
}

/* The name that @text starts with: up to an operator outside of the slashes of "cpu/event=0xc0/".
 */
static size_t name_length(const char *text)
{
	size_t n = strcspn(text, "<>=!/");

	while (text[n] == '/') {
		const char *end = strchr(text + n + 1, '/');

		if (!end)
			return strcspn(text, "<>=!");
		n = (size_t)(end + 1 - text);
		n += strcspn(text + n, "<>=!/");
	}
	return n;
}

int zone_condition_init(struct zone_condition *c, const struct zone_events *events,
			const char *text)
{
	size_t n = name_length(text);
	_free_ char *name = mem_strndup(text, n);
	const char *value;

	*c = (struct zone_condition){.column = events ? zone_events_column(events, name)
						      : zone_column_find(name)};
	if (!n || read_operator(text + n, &c->op, &value))
		return err(-EINVAL,
			   "'%s' is no condition: COLUMN, one of > >= < <= = !=, and a value",
			   text);
	if (c->column)
		return read_value(c, value);
	return events ? zone_events_no_column(events, "", name) : 0;
}

bool zone_condition_holds(const struct zone_condition *c, const struct profile *p,
			  const struct zone_row *r)
{
	long double v;

	if (c->pattern)
		return pattern_match(c->pattern, zone_column_text(c->column, p, &r->at)) ==
		       (c->op == ZONE_EQ);
	v = zone_row_number(c->column, r);
	switch (c->op) {
	case ZONE_GT:
		return v > c->number;
	case ZONE_GE:
		return v >= c->number;
	case ZONE_LT:
		return v < c->number;
	case ZONE_LE:
		return v <= c->number;
	case ZONE_EQ:
		return v == c->number;
	case ZONE_NE:
		break;
	}
	return v != c->number;
}

void zone_condition_release(struct zone_condition *c)
{
	pattern_free(c->pattern);
	*c = (struct zone_condition){0};
}
