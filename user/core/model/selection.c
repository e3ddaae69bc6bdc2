#include "model/selection.h"

#include <stddef.h>

#include "base/units.h"

const char selection_help[] =
	"      --metric NAME    which metric, where the profile has several\n"
	"      --thread TID     one thread; or a pattern for thread names\n"
	"      --pid PID        one process; or a pattern for process names\n"
	"      --from TIME      leave out what was before: 2.5s, 300ms, 1m since the start\n"
	"      --to TIME        leave out what came at that time and after it\n"
	"      --focus PATTERN  only stacks with a function that matches\n"
	"      --ignore PATTERN only stacks without one\n"
	"      --omit PATTERN   leave matching functions out of the stacks\n"
	"                       PATTERN: a glob on the whole name, or /regular expression/\n";

enum option { METRIC, THREAD, PID, FROM, TO, FOCUS, IGNORE, OMIT, OPTIONS };

static int check_pattern(const char *text)
{
	struct pattern *p = NULL;
	int rc = pattern_new(text, &p);

	pattern_free(p);
	return rc;
}

int selection_option(struct selection *s, int opt, const char *arg)
{
	const char **const texts[OPTIONS] = {
		[METRIC] = &s->metric, [THREAD] = &s->thread, [PID] = &s->pid,
		[FOCUS] = &s->focus,   [IGNORE] = &s->ignore, [OMIT] = &s->omit,
	};
	int which = opt - SELECTION_OPT_BASE, rc = 0;

	if (which < 0 || which >= OPTIONS)
		return 0;
	if (which == FROM)
		rc = units_parse_ns(arg, "--from", &s->from_ns);
	else if (which == TO)
		rc = units_parse_ns(arg, "--to", &s->to_ns);
	else if (which != METRIC)
		rc = check_pattern(arg);
	if (rc)
		return rc;
	if (texts[which])
		*texts[which] = arg;
	return 1;
}
