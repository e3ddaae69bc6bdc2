#include "query/zone_match.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "model/pattern.h"
#include "model/zone_column.h"

#define NAMED_MOST 3 /* zones that an error names */

/* Where the parameter list of a C++ or Rust name starts, its length where there is none: the first
 * parenthesis outside of <…> that is no part of the name itself. */
static size_t name_length(const char *name)
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
	bare = mem_strndup(name, name_length(name));
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
