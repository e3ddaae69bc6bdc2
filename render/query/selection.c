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
	"      --omit-idle      leave out idle waits: those of threads that have nothing to do, by "
	"their\n"
	"                       own stacks (see --view reasons)\n"
	"      --sort COLUMN    order of zones: total, self, counts, mean, p99, comp_mean, name "
	"…;\n"
	"                       or an event of --clock: page-faults; -COLUMN reverses it\n"
	"      --where COND     only zones for which 'mean>1ms', 'counts<=10', 'page-faults>100'\n"
	"                       or 'module=*libc*' holds; given again, all must hold\n"
	"                       PATTERN: a glob on the whole name, or /regular expression/\n"
	"      --version-key V  of a store: the version; without these three the newest run\n"
	"      --platform P     … the platform\n"
	"      --run NAME       … the run\n";

static int take_pattern(void *field, const char *text)
{
	struct pattern *p = NULL;
	int rc = pattern_new(text, &p);

	pattern_free(p);
	*(const char **)field = text;
	return rc;
}

static int take_condition(void *selection, const char *text)
{
	struct selection *s = selection;
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

/* Called after each of --from and --to, which come in any order. */
static int check_span(const struct selection *s)
{
	char from[UNITS_BUF], to[UNITS_BUF];

	if (!s->to_ns || s->from_ns < s->to_ns)
		return 0;
	return err(-EINVAL, "--from %s is not before --to %s: nothing is between them",
		   units_ns(from, sizeof(from), (double)s->from_ns),
		   units_ns(to, sizeof(to), (double)s->to_ns));
}

bool selection_takes_all(const struct selection *s)
{
	return !s->thread && !s->pid && !s->from_ns && !s->to_ns && !s->focus && !s->ignore &&
	       !s->omit && !s->zone && !s->n_where && !s->reason && !s->omit_idle;
}

static int take_from(void *selection, const char *text)
{
	struct selection *s = selection;
	int rc = units_parse_ns(text, "--from", &s->from_ns);

	return rc ? rc : check_span(s);
}

static int take_to(void *selection, const char *text)
{
	struct selection *s = selection;
	int rc = units_parse_ns(text, "--to", &s->to_ns);

	return rc ? rc : check_span(s);
}

/* Names of metrics, columns and runs are checked later, against the profile or the store. */
const struct option_row selection_rows[] = {
	{"metric", 0, OPTION_TEXT, offsetof(struct selection, metric), {0}},
	{"thread", 0, OPTION_TAKE, offsetof(struct selection, thread), {.take = take_pattern}},
	{"pid", 0, OPTION_TAKE, offsetof(struct selection, pid), {.take = take_pattern}},
	{"from", 0, OPTION_TAKE, 0, {.take = take_from}},
	{"to", 0, OPTION_TAKE, 0, {.take = take_to}},
	{"focus", 0, OPTION_TAKE, offsetof(struct selection, focus), {.take = take_pattern}},
	{"ignore", 0, OPTION_TAKE, offsetof(struct selection, ignore), {.take = take_pattern}},
	{"omit", 0, OPTION_TAKE, offsetof(struct selection, omit), {.take = take_pattern}},
	{"zone", 0, OPTION_TAKE, offsetof(struct selection, zone), {.take = take_pattern}},
	{"sort", 0, OPTION_TEXT, offsetof(struct selection, sort), {0}},
	{"where", 0, OPTION_TAKE, 0, {.take = take_condition}},
	{"reason", 0, OPTION_TAKE, offsetof(struct selection, reason), {.take = take_pattern}},
	{"omit-idle", 0, OPTION_FLAG, offsetof(struct selection, omit_idle), {0}},
	{"version-key", 0, OPTION_TEXT, offsetof(struct selection, run.version), {0}},
	{"platform", 0, OPTION_TEXT, offsetof(struct selection, run.platform), {0}},
	{"run", 0, OPTION_TEXT, offsetof(struct selection, run.run), {0}},
	{0},
};
