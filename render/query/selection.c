#include "query/selection.h"

#include <errno.h>

#include "base/err.h"
#include "base/units.h"
#include "query/zone_condition.h"

const char selection_help[] =
	"      --metric NAME    which metric, where the profile has several; off-cpu: the sum of\n"
	"                       blocked and runnable; wall: of these and the time on CPU\n"
	"      --thread TID     one thread; or a pattern for thread names\n"
	"      --pid PID        one process; or a pattern for process names\n"
	"      --from TIME      leave out what was before: 2.5s, 300ms, 1m since the start\n"
	"      --to TIME        leave out what came at that time and after it\n"
	"      --focus PATTERN  only stacks with a function that matches\n"
	"      --ignore PATTERN only stacks without one\n"
	"      --omit PATTERN   leave matching functions out of the stacks\n"
	"      --zone PATTERN   these zones; of samples, those taken inside one of them\n"
	"      --reason PATTERN only waits off the CPU for a reason that matches, by its name,\n"
	"                       system call or object: lock, 'page fault*', futex, 'pipe:*'\n"
	"      --omit-idle      leave out waits of threads that have nothing to do: in poll, "
	"epoll,\n"
	"                       sleeps, for signals\n"
	"      --sort COLUMN    order of zones: total, self, counts, mean, p99, comp_mean, name "
	"…;\n"
	"                       or an event of --clock: page-faults; -COLUMN reverses it\n"
	"      --where COND     only zones for which 'mean>1ms', 'counts<=10', 'page-faults>100'\n"
	"                       or 'module=*libc*' holds; given again, all must hold\n"
	"                       PATTERN: a glob on the whole name, or /regular expression/\n"
	"      --version-key V  of a store: the version; without these three the newest run\n"
	"      --platform P     … the platform\n"
	"      --run NAME       … the run\n";

enum option {
	METRIC,
	THREAD,
	PID,
	FROM,
	TO,
	FOCUS,
	IGNORE,
	OMIT,
	ZONE,
	SORT,
	WHERE,
	REASON,
	OMIT_IDLE,
	VERSION_KEY,
	PLATFORM,
	RUN,
	OPTIONS
};

static int check_pattern(const char *text)
{
	struct pattern *p = NULL;
	int rc = pattern_new(text, &p);

	pattern_free(p);
	return rc;
}

static int add_condition(struct selection *s, const char *text)
{
	struct zone_condition c;
	int rc = zone_condition_init(&c, NULL, text);

	if (rc)
		return rc;
	zone_condition_release(&c);
	if (s->n_where == SELECTION_CONDITIONS)
		return err(-E2BIG, "--where: more than %d conditions", SELECTION_CONDITIONS);
	s->where[s->n_where++] = text;
	return 0;
}

/* Either may come first; that there is no time between them is known with the second. */
static int check_span(const struct selection *s)
{
	char from[UNITS_BUF], to[UNITS_BUF];

	if (!s->to_ns || s->from_ns < s->to_ns)
		return 0;
	return err(-EINVAL, "--from %s is not before --to %s: nothing is between them",
		   units_ns(from, sizeof(from), (double)s->from_ns),
		   units_ns(to, sizeof(to), (double)s->to_ns));
}

/* A profile's or a store's own names: it must be read first. */
static bool is_name(int which)
{
	return which == METRIC || which == SORT || which == VERSION_KEY || which == PLATFORM ||
	       which == RUN;
}

bool selection_takes_all(const struct selection *s)
{
	return !s->thread && !s->pid && !s->from_ns && !s->to_ns && !s->focus && !s->ignore &&
	       !s->omit && !s->zone && !s->n_where && !s->reason && !s->omit_idle;
}

int selection_option(struct selection *s, int opt, const char *arg)
{
	const char **const texts[OPTIONS] = {
		[METRIC] = &s->metric,
		[THREAD] = &s->thread,
		[PID] = &s->pid,
		[FOCUS] = &s->focus,
		[IGNORE] = &s->ignore,
		[OMIT] = &s->omit,
		[ZONE] = &s->zone,
		[SORT] = &s->sort,
		[REASON] = &s->reason,
		[VERSION_KEY] = &s->run.version,
		[PLATFORM] = &s->run.platform,
		[RUN] = &s->run.run,
	};
	int which = opt - SELECTION_OPT_BASE, rc = 0;

	if (which < 0 || which >= OPTIONS)
		return 0;
	if (which == FROM)
		rc = units_parse_ns(arg, "--from", &s->from_ns);
	else if (which == TO)
		rc = units_parse_ns(arg, "--to", &s->to_ns);
	else if (which == WHERE)
		rc = add_condition(s, arg);
	else if (which == OMIT_IDLE)
		s->omit_idle = true;
	else if (!is_name(which))
		rc = check_pattern(arg);
	if (!rc && (which == FROM || which == TO))
		rc = check_span(s);
	if (rc)
		return rc;
	if (texts[which])
		*texts[which] = arg;
	return 1;
}
