#include "query/zone_condition.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "base/units.h"

#define NAMED_MOST 3 /* zones that an error names */

/* --- names ------------------------------------------------------------------------------------ */

/* Where the parameter list of a C++ or Rust name starts, its length where there is none: the first
 * parenthesis outside of <…> that is no part of the name itself. */
static size_t bare_length(const char *name)
{
	int depth = 0;

	for (const char *s = name; *s; s++) {
		if (!strncmp(s, "operator", 8)) {
			s += 8;
			s += strncmp(s, "()", 2) ? strspn(s, "<>=-") : 2;
			if (!*s)
				break;
		}
		if (!strncmp(s, "(anonymous namespace)", 21)) {
			s += 20;
			continue;
		}
		depth += (*s == '<') - (*s == '>');
		if (*s == '(' && depth <= 0 && s > name)
			return (size_t)(s - name);
	}
	return strlen(name);
}

static bool is_meant(const struct pattern *pattern, const char *text, const char *name)
{
	_free_ char *bare = NULL;

	if (!strcmp(text, name) || pattern_match(pattern, name))
		return true;
	bare = mem_strndup(name, bare_length(name));
	return !strcmp(text, bare) || pattern_match(pattern, bare);
}

static int by_total(const void *left, const void *right)
{
	const struct zone_row *a = left, *b = right;

	return order_down(a->at.total_ns, b->at.total_ns);
}

/* "no zone matches 'x': of 214 the largest are a, b, c" */
static int none_matches(const struct profile *p, const char *text)
{
	VEC(struct zone_row) rows = {0};
	struct str names = {0};

	for (uint32_t i = 0; i < p->zones.n; i++)
		vec_push(&rows, ((struct zone_row){.zone = i, .at = p->zones.at[i]}));
	vec_sort(&rows, by_total);
	for (size_t i = 0; i < rows.n && i < NAMED_MOST; i++)
		str_addf(&names, "%s%s", i ? ", " : "", profile_text(p, rows.at[i].at.name));
	if (rows.n)
		err(-ENOENT, "no zone matches '%s': of %zu the largest are %s", text, rows.n,
		    str_text(&names));
	else
		err(-ENOENT, "no zone matches '%s': the profile has no zones", text);
	vec_release(&rows);
	str_release(&names);
	return -ENOENT;
}

int zone_match(const struct profile *p, const char *text, bool **out)
{
	struct pattern *pattern;
	size_t found = 0;
	int rc;

	*out = NULL;
	if (!text)
		return 0;
	rc = pattern_new(text, &pattern);
	if (rc)
		return rc;
	*out = mem_zalloc(p->zones.n + 1, sizeof(**out));
	for (size_t i = 0; i < p->zones.n; i++) {
		(*out)[i] = is_meant(pattern, text, profile_text(p, p->zones.at[i].name));
		found += (*out)[i];
	}
	pattern_free(pattern);
	return found ? 0 : none_matches(p, text);
}

/* --- conditions ------------------------------------------------------------------------------- */

enum { LESS = 1, EQUAL = 2, GREATER = 4 };

/* Longer ones before those that they start with. */
static const struct {
	const char *sign;
	unsigned holds;
} operators[] = {
	{">=", GREATER | EQUAL}, {"<=", LESS | EQUAL}, {"!=", LESS | GREATER},
	{">", GREATER},		 {"<", LESS},	       {"=", EQUAL},
};

/* What follows the operator at @at; NULL: there is none. */
static const char *read_operator(const char *at, unsigned *holds)
{
	for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++)
		if (str_starts(at, operators[i].sign)) {
			*holds = operators[i].holds;
			return at + strlen(operators[i].sign);
		}
	return NULL;
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
	if (c->holds != EQUAL && c->holds != (LESS | GREATER))
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
	value = read_operator(text + n, &c->holds);
	if (!n || !value)
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
		       (c->holds == EQUAL);
	v = zone_row_number(c->column, r);
	return c->holds & (v < c->number ? LESS : v > c->number ? GREATER : EQUAL);
}

void zone_condition_release(struct zone_condition *c)
{
	pattern_free(c->pattern);
	*c = (struct zone_condition){0};
}
