#include "base/fail_on.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"

#define PERCENT_MOST 1e6

int fail_on_percent(const char *text, const char *what, double *out)
{
	char *end;

	*out = strtod(text, &end);
	if (end == text || *end || !(*out >= 0 && *out <= PERCENT_MOST))
		return err(-EINVAL, "%s is a percentage such as 5, not '%s'", what, text);
	return 0;
}

int fail_on_parse(const char *text, struct fail_on *f)
{
	f->percent = 0;
	f->what = !strcmp(text, "suspect") ? FAIL_SUSPECT : FAIL_REGRESSED;
	if (f->what == FAIL_SUSPECT || !strcmp(text, "regressed"))
		return 0;
	if (str_starts(text, "regressed:"))
		return fail_on_percent(strchr(text, ':') + 1, "--fail-on regressed:PERCENT",
				       &f->percent);
	return err(-EINVAL, "--fail-on is regressed, regressed:PERCENT or suspect, not '%s'", text);
}

const char *fail_on_text(const struct fail_on *f, char buf[FAIL_ON_BUF])
{
	if (f->what == FAIL_NEVER)
		return "";
	if (f->what == FAIL_SUSPECT)
		return "suspect";
	snprintf(buf, FAIL_ON_BUF, "regressed:%.17g", f->percent);
	return buf;
}
