#include "query/selection.h"

#include <errno.h>

#include "base/err.h"
#include "base/units.h"
#include "query/clock_time.h"
#include "query/zone_condition.h"

/* The lines of --help, in order, cut where a comparison lacks some. */
static const struct {
	bool of_one;
	const char *text;
} help[] = {
	{false,
	 "      --metric NAME    which metric, where the profile has several; off-cpu: the sum of\n"
	 "                       blocked and runnable; wall: of these and the time on CPU\n"
	 "      --thread TID,…   these threads; or patterns for thread names\n"
	 "      --pid PID,…      these processes; or patterns for process names\n"
	 "      --cgroup PATTERN threads in a cgroup that matches, by its path or the path's end\n"
	 "      --from TIME      leave out what was before: 2.5s, 300ms, 1m since the start"},
	{true, "; or by the\n"
	       "                       clock, in UTC: 14:05:30, 2026-11-29T14:05:30"},
	{false,
	 "\n"
	 "      --to TIME        leave out what came at that time and after it\n"
	 "      --focus PATTERN  only stacks with a function that matches\n"
	 "      --ignore PATTERN only stacks without one\n"
	 "      --module PATTERN only stacks with code of a program or library that matches\n"
	 "      --file PATTERN   only stacks with a function of a source file that matches\n"
	 "      --omit PATTERN   leave matching functions out of the stacks\n"
	 "      --zone PATTERN   these zones; of samples, those taken inside one of them\n"
	 "      --reason PATTERN only waits off the CPU for a reason that matches, by its name,\n"
	 "                       system call or object: lock, 'page fault*', futex, 'pipe:*'\n"},
	{true,
	 "      --net            of a timeline: calls without what recording and probing them "
	 "took\n"},
	{true, "      --fold-kernel    show the kernel's part of a stack as one frame, [kernel]\n"},
	{false,
	 "      --frames WHICH   of stacks: script (functions of scripts alone), native (all "
	 "others), all\n"
	 "      --async          of asyncio, if captured with --async: who awaits a task stands in "
	 "its\n"
	 "                       stacks as its caller, in place of the event loop\n"},
	{false,
	 "      --omit-idle      leave out idle waits: those of threads that have nothing to "
	 "do, by their\n"
	 "                       own stacks (see --view reasons)\n"},
	{true,
	 "      --sort COLUMN    order of rows, of functions: self (the default), total, name; of\n"
	 "                       threads: time, samples, on_cpu, runnable, blocked, waits, pid; "
	 "of\n"
	 "                       zones: total, self, counts, mean, p99, name …, or an event of\n"
	 "                       --clock: page-faults; name: of the call tree, too; -COLUMN "
	 "reverses\n"
	 "                       it\n"},
	{false,
	 "      --where COND     only zones for which 'mean>1ms', 'counts<=10', 'page-faults>100'\n"
	 "                       or 'module=*libc*' holds; given again, all must hold\n"
	 "                       PATTERN: a glob on the whole name, or /regular expression/\n"
	 "      --version-key V  of a store: the version; without these three the newest run\n"
	 "      --platform P     … the platform\n"
	 "      --run NAME       … the run\n"},
};

void selection_help(FILE *out, bool of_one)
{
	for (size_t i = 0; i < sizeof(help) / sizeof(*help); i++)
		if (of_one || !help[i].of_one)
			fputs(help[i].text, out);
}

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
	return thread_choice_is_all(&s->threads) && !s->from_ns && !s->to_ns && !s->from_clock &&
	       !s->to_clock && !s->focus && !s->ignore && !s->module && !s->file && !s->omit &&
	       !s->zone && !s->n_where && !s->reason && !s->omit_idle && !s->frames && !s->async;
}

static int take_time(struct selection *s, const char *text, const char *option, int64_t *ns,
		     const char **by_clock)
{
	const bool is_clock = clock_time_is(text);
	int rc;

	*by_clock = is_clock ? text : NULL;
	*ns = 0;
	rc = is_clock ? clock_time_check(text, option) : units_parse_ns(text, option, ns);
	return rc ? rc : check_span(s);
}

static int take_from(void *selection, const char *text)
{
	struct selection *s = selection;

	return take_time(s, text, "--from", &s->from_ns, &s->from_clock);
}

static int take_to(void *selection, const char *text)
{
	struct selection *s = selection;

	return take_time(s, text, "--to", &s->to_ns, &s->to_clock);
}

static int settle_to(struct selection *s, const struct profile *p)
{
	char began[UNITS_BUF];
	int rc = clock_time_find(s->to_clock, "--to", p, &s->to_ns);

	if (rc || s->to_ns > 0)
		return rc;
	return err(-ENOENT, "--to %s is before the capture, which began at %s", s->to_clock,
		   units_time(began, sizeof(began), p->started_unix_ns));
}

int selection_settle(struct selection *s, const struct profile *p)
{
	int rc = 0;

	if (s->from_clock)
		rc = clock_time_find(s->from_clock, "--from", p, &s->from_ns);
	if (!rc && s->from_ns < 0) {
		s->early = s->from_clock;
		s->from_ns = 0;
	}
	if (!rc && s->to_clock)
		rc = settle_to(s, p);
	if (rc || (!s->from_clock && !s->to_clock))
		return rc;
	s->from_clock = s->to_clock = NULL;
	return check_span(s);
}

static int take_threads(void *field, const char *text)
{
	*(const char **)field = text;
	return thread_list_check(text);
}

/* Names of metrics, columns and runs are checked later, against the profile or the store. */
const struct option_row selection_rows[] = {
	{"metric", 0, OPTION_TEXT, offsetof(struct selection, metric), {0}},
	{"thread",
	 0,
	 OPTION_TAKE,
	 offsetof(struct selection, threads.thread),
	 {.take = take_threads}},
	{"pid", 0, OPTION_TAKE, offsetof(struct selection, threads.pid), {.take = take_threads}},
	{"cgroup",
	 0,
	 OPTION_TAKE,
	 offsetof(struct selection, threads.cgroup),
	 {.take = take_threads}},
	{"from", 0, OPTION_TAKE, 0, {.take = take_from}},
	{"to", 0, OPTION_TAKE, 0, {.take = take_to}},
	{"focus", 0, OPTION_TAKE, offsetof(struct selection, focus), {.take = take_pattern}},
	{"ignore", 0, OPTION_TAKE, offsetof(struct selection, ignore), {.take = take_pattern}},
	{"module", 0, OPTION_TAKE, offsetof(struct selection, module), {.take = take_pattern}},
	{"file", 0, OPTION_TAKE, offsetof(struct selection, file), {.take = take_pattern}},
	{"omit", 0, OPTION_TAKE, offsetof(struct selection, omit), {.take = take_pattern}},
	{"zone", 0, OPTION_TAKE, offsetof(struct selection, zone), {.take = take_pattern}},
	{"sort", 0, OPTION_TEXT, offsetof(struct selection, sort), {0}},
	{"where", 0, OPTION_TAKE, 0, {.take = take_condition}},
	{"reason", 0, OPTION_TAKE, offsetof(struct selection, reason), {.take = take_pattern}},
	{"net", 0, OPTION_FLAG, offsetof(struct selection, net), {0}},
	{"fold-kernel", 0, OPTION_FLAG, offsetof(struct selection, fold_kernel), {0}},
	{"frames",
	 0,
	 OPTION_WORD,
	 offsetof(struct selection, frames),
	 {.words = FRAMES_SHOWN_WORDS}},
	{"async", 0, OPTION_FLAG, offsetof(struct selection, async), {0}},
	{"omit-idle", 0, OPTION_FLAG, offsetof(struct selection, omit_idle), {0}},
	{"version-key", 0, OPTION_TEXT, offsetof(struct selection, run.version), {0}},
	{"platform", 0, OPTION_TEXT, offsetof(struct selection, run.platform), {0}},
	{"run", 0, OPTION_TEXT, offsetof(struct selection, run.run), {0}},
	{0},
};
