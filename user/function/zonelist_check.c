#include "function/zonelist_check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "function/zonelist_read.h"

/* Reasons why a pattern may match nothing that are told together. */
#define MAX_REMARKS 3

struct checking {
	const struct image *const *images;
	const struct zonelist *lists;
	size_t n;
	const struct zonelist_request *request;
};

static bool is_for(const struct checking *c, size_t pattern, size_t image)
{
	return zonepatterns_is_for(c->request->patterns, pattern, c->images[image]->path);
}

static bool takes_any(const struct checking *c, size_t pattern)
{
	for (size_t i = 0; i < c->n; i++) {
		if (!c->lists[i].problem && c->lists[i].hits.at[pattern])
			return true;
	}
	return false;
}

/* "malloc, mallopt, mallinfo", or "". */
static char *list_nearest(const struct nearest *nearest)
{
	struct str s = {0};

	for (size_t i = 0; i < nearest->n; i++)
		str_addf(&s, "%s%s", i ? ", " : "", nearest->at[i].name);
	return s.n ? str_steal(&s) : mem_strdup("");
}

static char *nearest_functions(const struct checking *c, size_t pattern)
{
	_free_ const struct image **images = mem_zalloc(c->n + 1, sizeof(*images));
	struct nearest nearest = {0};
	size_t n = 0;
	char *text;

	for (size_t i = 0; i < c->n; i++) {
		if (!c->lists[i].problem && is_for(c, pattern, i))
			images[n++] = c->images[i];
	}
	if (zonepatterns_name(c->request->patterns, pattern))
		zonelist_nearest(images, n, c->request, pattern, &nearest);
	text = list_nearest(&nearest);
	nearest_release(&nearest);
	return text;
}

/* Why functions that there are may not be known. */
static const char *remark_on(const struct checking *c, size_t pattern, size_t image)
{
	const struct zonelist *l = &c->lists[image];
	const bool by_file = !zonepatterns_name(c->request->patterns, pattern) &&
			     zonepatterns_need_lines(c->request->patterns);

	/* The kernel's own mappings, the vDSO and generated code matter only where they have what
	 * was asked for. */
	if (l->problem)
		return l->hits.at[pattern] || c->n == 1 || c->images[image]->path[0] == '/'
			       ? l->problem
			       : NULL;
	if (l->flags & ZONELIST_NO_SYMBOLS)
		return l->flags & ZONELIST_STUBS
			       ? "has no symbols: only what it calls in other modules is known by "
				 "name ('*@plt')"
			       : "has no symbols";
	if (by_file && (l->flags & ZONELIST_NO_LINES))
		return "has no debug information, so that its source files are not known";
	if (l->flags & ZONELIST_NO_SYMTAB)
		return "is stripped: only its exported functions are known by name, and those that "
		       "it calls in other modules ('*@plt')";
	return NULL;
}

/* Problems first: they are the likelier cause. */
static void add_remarks(const struct checking *c, size_t pattern, bool problems, size_t *n,
			struct str *s)
{
	for (size_t i = 0; i < c->n; i++) {
		const char *remark = is_for(c, pattern, i) ? remark_on(c, pattern, i) : NULL;

		if (!remark || problems != (c->lists[i].problem != NULL) || (*n)++ >= MAX_REMARKS)
			continue;
		str_addf(s, "; %s%s %s", str_base(c->images[i]->path), problems ? ":" : "", remark);
	}
}

static char *nearest_modules(const struct image *const *images, size_t n, const char *text)
{
	const char *colon = strchr(text, ':');
	_free_ char *module = mem_strndup(text, colon ? (size_t)(colon - text) : 0);
	struct nearest nearest = {0};
	char *list;

	for (size_t i = 0; i < n; i++) {
		const char *base = str_base(images[i]->path);

		nearest_add(&nearest, base, nearest_distance(module, base));
	}
	list = list_nearest(&nearest);
	nearest_release(&nearest);
	return list;
}

char *zonelist_no_module(const struct image *const *images, size_t n, const char *text)
{
	_free_ char *nearest = nearest_modules(images, n, text);

	if (!n)
		return mem_printf("no code of the target is known that '%s' could match", text);
	return mem_printf("no program or library matches the module of '%s'%s%s%s", text,
			  *nearest ? " (nearest: " : "", nearest, *nearest ? ")" : "");
}

static int say_no_module(const struct checking *c, size_t pattern)
{
	_free_ char *text = zonelist_no_module(c->images, c->n,
					       zonepatterns_text(c->request->patterns, pattern));

	return err(-ENOENT, "%s", text);
}

static int say_no_match(const struct checking *c, size_t pattern)
{
	_free_ char *nearest = nearest_functions(c, pattern);
	const char *text = zonepatterns_text(c->request->patterns, pattern);
	struct str s = {0};
	size_t n = 0;
	int rc;

	add_remarks(c, pattern, true, &n, &s);
	add_remarks(c, pattern, false, &n, &s);
	if (n > MAX_REMARKS)
		str_addf(&s, "; and %zu more", n - MAX_REMARKS);
	rc = *nearest ? err(-ENOENT, "no function matches '%s' (nearest: %s)%s", text, nearest,
			    str_text(&s))
		      : err(-ENOENT, "no function matches '%s'%s", text, str_text(&s));
	str_release(&s);
	return rc;
}

/* No pattern at all, or nothing but exclusions, and no function. */
static int say_nothing_there(const struct checking *c)
{
	for (size_t i = 0; i < c->n; i++) {
		if (c->lists[i].problem)
			return err(-ENOENT, "%s: %s", str_base(c->images[i]->path),
				   c->lists[i].problem);
	}
	if (c->n == 1)
		return err(-ENOENT, "%s has no symbols: no function is known by name%s",
			   str_base(c->images[0]->path),
			   c->lists[0].flags & ZONELIST_STUBS
				   ? ", only what it calls in other modules ('*@plt')"
				   : "");
	return err(-ENOENT, "no function is known by name");
}

static int say_none(const struct checking *c)
{
	for (size_t i = 0; i < zonepatterns_count(c->request->patterns); i++) {
		if (!zonepatterns_is_exclusion(c->request->patterns, i) && takes_any(c, i))
			return err(-ENOENT, "exclusions (!) take out all that '%s' matches",
				   zonepatterns_text(c->request->patterns, i));
	}
	return say_nothing_there(c);
}

static int check_pattern(const struct checking *c, size_t pattern)
{
	bool any = false;

	if (zonepatterns_is_exclusion(c->request->patterns, pattern) || takes_any(c, pattern))
		return 0;
	for (size_t i = 0; i < c->n; i++)
		any |= is_for(c, pattern, i);
	return any ? say_no_match(c, pattern) : say_no_module(c, pattern);
}

int zonelist_too_many(uint64_t matched, const struct zonelist_request *request)
{
	char found[UNITS_BUF], most[UNITS_BUF];

	return err(-E2BIG,
		   "%s functions match, more than %s: choose fewer, or raise the limit by "
		   "--zones-max %lu",
		   units_count(found, sizeof(found), (int64_t)matched),
		   units_count(most, sizeof(most), (int64_t)zonelist_max(request)), matched);
}

int zonelist_check(const struct image *const *images, const struct zonelist *lists, size_t n,
		   const struct zonelist_request *request)
{
	const struct checking c = {images, lists, n, request};
	uint64_t matched = 0;
	int rc = 0;

	for (size_t i = 0; i < zonepatterns_count(request->patterns) && !rc; i++)
		rc = check_pattern(&c, i);
	if (rc)
		return rc;
	for (size_t i = 0; i < n; i++)
		matched += lists[i].matched;
	if (!matched)
		return say_none(&c);
	return matched <= zonelist_max(request) ? 0 : zonelist_too_many(matched, request);
}
