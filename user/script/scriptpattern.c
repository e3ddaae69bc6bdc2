#include "script/scriptpattern.h"

#include <errno.h>
#include <fnmatch.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/vec.h"

struct scriptpattern {
	char *text;	   /* as the user wrote it */
	char *file, *name; /* globs; or the name is an expression */
	uint32_t language;
	bool excludes, is_regex;
	regex_t regex;
};

struct scriptpatterns {
	VEC(struct scriptpattern) at;
};

/* What the user can do instead, where calls cannot be counted. */
#define INSTEAD "; sample the process instead: 'eprof report --focus NAME' shows who calls it"

static const struct ending {
	const char *ending;
	uint32_t language;
	const char *why; /* its calls cannot be counted; NULL: they can be */
} endings[] = {
#define NODE "V8 compiles and inlines functions, and nothing tells when one is called"
#define RUBY "Ruby's markers of calls (method__entry) are not passed for each call"
	{".py", WIRE_SCRIPT_PYTHON, NULL}, {".pyw", WIRE_SCRIPT_PYTHON, NULL},
	{".php", WIRE_SCRIPT_PHP, NULL},   {".phtml", WIRE_SCRIPT_PHP, NULL},
	{".js", WIRE_SCRIPT_V8, NODE},	   {".mjs", WIRE_SCRIPT_V8, NODE},
	{".cjs", WIRE_SCRIPT_V8, NODE},	   {".ts", WIRE_SCRIPT_V8, NODE},
	{".rb", WIRE_SCRIPT_RUBY, RUBY},
};

/* Where the colon between the file and the name is; NULL: it is no such pattern. */
static const char *find_colon(const char *text, const struct ending **ending)
{
	for (const char *at = strchr(text, ':'); at; at = strchr(at + 1, ':')) {
		const size_t n = (size_t)(at - text);

		for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
			const size_t bytes = strlen(endings[i].ending);

			if (at[1] == ':' || n <= bytes ||
			    memcmp(at - bytes, endings[i].ending, bytes))
				continue;
			*ending = &endings[i];
			return at;
		}
	}
	return NULL;
}

bool scriptpattern_is(const char *text)
{
	const struct ending *ending;

	text += *text == '!';
	/* An expression, and a source file of native functions. */
	return *text != '@' && !(*text == '/' && str_ends(text, "/") && !strstr(text, ":/")) &&
	       find_colon(text, &ending);
}

struct scriptpatterns *scriptpatterns_new(void)
{
	return mem_zalloc(1, sizeof(struct scriptpatterns));
}

static void release(struct scriptpattern *p)
{
	if (p->is_regex)
		regfree(&p->regex);
	free(p->text);
	free(p->file);
	free(p->name);
}

void scriptpatterns_free(struct scriptpatterns *s)
{
	if (!s)
		return;
	vec_each (p, &s->at)
		release(p);
	vec_release(&s->at);
	free(s);
}

static int compile(struct scriptpattern *p)
{
	_free_ char *expression = mem_strndup(p->name + 1, strlen(p->name) - 2);
	char why[128];
	int rc;

	if (!*expression)
		return err(-EINVAL, "pattern '%s' is an empty expression", p->text);
	rc = regcomp(&p->regex, expression, REG_EXTENDED | REG_NOSUB);
	if (rc) {
		regerror(rc, &p->regex, why, sizeof(why));
		return err(-EINVAL, "pattern '%s': %s", p->text, why);
	}
	p->is_regex = true;
	return 0;
}

static int parse(struct scriptpattern *p)
{
	const char *text = p->text + (*p->text == '!');
	const struct ending *ending = NULL;
	const char *colon = find_colon(text, &ending);
	size_t n;

	if (!colon)
		return err(-EINVAL, "pattern '%s' names no script's file", p->text);
	if (ending->why)
		return err(-EINVAL, "pattern '%s': %s" INSTEAD, p->text, ending->why);
	p->excludes = *p->text == '!';
	p->language = ending->language;
	p->file = mem_strndup(text, (size_t)(colon - text));
	p->name = mem_strdup(colon + 1);
	n = strlen(p->name);
	if (!n)
		return err(-EINVAL, "pattern '%s' names no function ('%s*' takes all)", p->text,
			   p->text);
	if (*p->name == '@')
		return err(-EINVAL, "pattern '%s': functions of scripts are not known by lines",
			   p->text);
	return n >= 2 && *p->name == '/' && p->name[n - 1] == '/' ? compile(p) : 0;
}

int scriptpatterns_add(struct scriptpatterns *s, const char *text)
{
	struct scriptpattern p = {.text = mem_strdup(text)};
	const int rc = parse(&p);

	if (rc)
		release(&p);
	else
		vec_push(&s->at, p);
	return rc;
}

uint32_t scriptpatterns_languages(const struct scriptpatterns *s)
{
	uint32_t languages = 0;

	vec_each (p, &s->at)
		languages |= p->excludes ? 0 : 1u << p->language;
	return languages;
}

const char *scriptpatterns_first(const struct scriptpatterns *s, uint32_t language)
{
	vec_each (p, &s->at)
		if (!p->excludes && p->language == language)
			return p->text;
	return NULL;
}

static bool matches(const char *glob, const char *text)
{
	return !strcmp(glob, text) || !fnmatch(glob, text, 0);
}

static bool file_matches(const struct scriptpattern *p, const char *file)
{
	const size_t n = strlen(file), bytes = strlen(p->file);

	if (!strchr(p->file, '/'))
		return matches(p->file, str_base(file));
	return matches(p->file, file) ||
	       (n > bytes && file[n - bytes - 1] == '/' && matches(p->file, file + n - bytes));
}

static bool name_matches(const struct scriptpattern *p, const char *name)
{
	return p->is_regex ? !regexec(&p->regex, name, 0, NULL, 0) : matches(p->name, name);
}

bool scriptpatterns_match(const struct scriptpatterns *s, uint32_t language, const char *file,
			  const char *class, const char *name)
{
	_free_ char *whole = *class ? mem_printf("%s::%s", class, name) : NULL;
	bool taken = false;

	vec_each (p, &s->at) {
		if (p->language != language || !file_matches(p, file) ||
		    (!name_matches(p, name) && !(whole && name_matches(p, whole))))
			continue;
		if (p->excludes)
			return false;
		taken = true;
	}
	return taken;
}
