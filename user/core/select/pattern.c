#include "select/pattern.h"

#include <errno.h>
#include <fnmatch.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"

struct pattern {
	char *glob; /* NULL: the regular expression */
	regex_t regex;
};

/* The expression between the slashes. */
static int compile(struct pattern *p, const char *text)
{
	_free_ char *inner = mem_strndup(text + 1, strlen(text) - 2);
	char why[128];
	int code;

	code = regcomp(&p->regex, inner, REG_EXTENDED | REG_NOSUB);
	if (!code)
		return 0;
	regerror(code, &p->regex, why, sizeof(why));
	return err(-EINVAL, "bad pattern '%s': %s", text, why);
}

int pattern_new(const char *text, struct pattern **out)
{
	size_t n = strlen(text);
	bool regex = n > 2 && text[0] == '/' && text[n - 1] == '/';
	struct pattern *p;
	int rc;

	if (!n)
		return err(-EINVAL, "an empty pattern matches nothing");
	p = mem_zalloc(1, sizeof(*p));
	if (regex) {
		rc = compile(p, text);
		if (rc) {
			free(p);
			return rc;
		}
	} else {
		p->glob = mem_strdup(text);
	}
	*out = p;
	return 0;
}

bool pattern_match(const struct pattern *p, const char *name)
{
	if (p->glob)
		return !fnmatch(p->glob, name, 0);
	return !regexec(&p->regex, name, 0, NULL, 0);
}

void pattern_free(struct pattern *p)
{
	if (!p)
		return;
	if (!p->glob)
		regfree(&p->regex);
	free(p->glob);
	free(p);
}
