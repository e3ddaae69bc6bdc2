#include "query/filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "base/units.h"
#include "model/event_cursor.h"
#include "query/wait_class.h"
#include "query/zone_condition.h"

/* --- zones and functions ---------------------------------------------------------------------- */

int filter_zones(const struct profile *p, const struct selection *sel, bool **out)
{
	_free_ bool *match = NULL;
	int rc = zone_match(p, sel->zone, &match);

	*out = NULL;
	if (rc || !match)
		return rc;
	*out = mem_zalloc(p->zone_edges.n, sizeof(**out));
	for (size_t i = 1; i < p->zone_edges.n; i++) {
		const struct zone_edge *e = &p->zone_edges.at[i];

		(*out)[i] = (*out)[e->parent] || match[e->zone];
	}
	return 0;
}

/* What of a function a pattern is matched with. */
typedef bool function_test(const struct profile *, const struct function *, const struct pattern *);

static bool name_matches(const struct profile *p, const struct function *f,
			 const struct pattern *pattern)
{
	return pattern_match(pattern, profile_text(p, f->name));
}

/* A path by all of it, or by its end: "malloc.c", "stdlib/malloc.c". */
static bool path_matches(const char *path, const struct pattern *pattern)
{
	bool matches = *path && pattern_match(pattern, path);

	for (const char *end = strchr(path, '/'); end && !matches; end = strchr(end + 1, '/'))
		matches = pattern_match(pattern, end + 1);
	return matches;
}

static bool module_matches(const struct profile *p, const struct function *f,
			   const struct pattern *pattern)
{
	return path_matches(profile_text(p, p->modules.at[f->module].path), pattern) ||
	       pattern_match(pattern, profile_module_name(p, f->module));
}

static bool file_matches(const struct profile *p, const struct function *f,
			 const struct pattern *pattern)
{
	return path_matches(profile_text(p, f->file), pattern);
}

/* *@out: per function whether it passes the test with @text; stays NULL without a text. */
static int match_functions(const struct profile *p, const char *text, function_test *test,
			   bool **out)
{
	struct pattern *pattern;
	int rc;

	if (!text)
		return 0;
	rc = pattern_new(text, &pattern);
	if (rc)
		return rc;
	*out = mem_zalloc(p->functions.n, sizeof(**out));
	for (size_t i = 1; i < p->functions.n; i++)
		(*out)[i] = test(p, &p->functions.at[i], pattern);
	pattern_free(pattern);
	return 0;
}

int filter_functions(const struct profile *p, const char *text, enum filter_by by, bool **out)
{
	static function_test *const tests[] = {[FILTER_NAME] = name_matches,
					       [FILTER_MODULE] = module_matches,
					       [FILTER_FILE] = file_matches};

	*out = NULL;
	return match_functions(p, text, tests[by], out);
}

/* Whether a timeline has calls of such a function, which may be in no sample. */
static bool is_called(const struct profile *p, const bool *match)
{
	const struct timed_event *e;
	struct event_cursor c;
	bool is = false;

	event_cursor_init(&c, p);
	while (!is && (e = event_cursor_next(&c)))
		is = match[p->frames.at[e->frame].function];
	return event_cursor_release(&c) ? false : is;
}

/* *@out: per node whether a frame of its stack is of a function in @match. */
static bool *spread(const struct profile *p, const bool *match)
{
	bool *out = mem_zalloc(p->nodes.n, sizeof(*out));

	for (size_t i = 1; i < p->nodes.n; i++) {
		const struct node *n = &p->nodes.at[i];

		out[i] = out[n->parent] || match[p->frames.at[n->frame].function];
	}
	return out;
}

/* Patterns match whole names: a user who asks for "sort" may mean "std::sort<int*>". */
static int no_function(const struct profile *p, const char *text)
{
	for (size_t i = 1; i < p->nodes.n; i++) {
		const struct frame *frame = &p->frames.at[p->nodes.at[i].frame];
		const char *name = profile_text(p, p->functions.at[frame->function].name);

		if (strstr(name, text))
			return err(-ENOENT,
				   "--focus: no stack has a function '%s'; for '%s' the pattern "
				   "is '*%s*'",
				   text, name, text);
	}
	return err(-ENOENT, "--focus: no stack has a function that matches '%s'", text);
}

/* Without samples there is no stack to look in. */
static int no_place(const struct profile *p, const char *option, const char *text, const char *what)
{
	return p->samples.n
		       ? err(-ENOENT, "%s: no stack has %s that matches '%s'", option, what, text)
		       : 0;
}

/* Takes the nodes out whose stacks have no such function, or those that have one. */
static int keep_nodes(struct filter *f, const char *text, function_test *test, bool wanted)
{
	const struct profile *p = f->profile;
	_free_ bool *match = NULL, *has = NULL;
	bool any = false;
	int rc = match_functions(p, text, test, &match);

	if (rc || !match)
		return rc;
	has = spread(p, match);
	if (!f->node) {
		f->node = mem_zalloc(p->nodes.n + 1, sizeof(*f->node));
		memset(f->node, true, p->nodes.n);
	}
	for (size_t i = 0; i < p->nodes.n; i++) {
		any |= has[i];
		f->node[i] &= has[i] == wanted;
	}
	return any || !wanted || is_called(p, match) ? 0 : -ENOENT;
}

static int choose_nodes(struct filter *f, const struct selection *sel)
{
	const struct profile *p = f->profile;
	int rc = keep_nodes(f, sel->ignore, name_matches, false);

	if (!rc)
		rc = keep_nodes(f, sel->focus, name_matches, true);
	if (rc == -ENOENT)
		return p->samples.n ? no_function(p, sel->focus) : 0;
	if (!rc)
		rc = keep_nodes(f, sel->module, module_matches, true);
	if (rc == -ENOENT)
		return no_place(p, "--module", sel->module, "code of a program or library");
	if (!rc)
		rc = keep_nodes(f, sel->file, file_matches, true);
	if (rc == -ENOENT)
		return no_place(p, "--file", sel->file, "a function of a source file");
	return rc;
}

/* --- reasons ---------------------------------------------------------------------------------- */

static bool reason_matches(const struct profile *p, const struct reason *r,
			   const struct pattern *pattern)
{
	const char *const texts[] = {reason_kind_name(r->kind), profile_text(p, r->call),
				     profile_text(p, r->object)};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (*texts[i] && pattern_match(pattern, texts[i]))
			return true;
	return false;
}

/* "no wait has a reason 'x': there are disk, lock, sleep". */
static int no_reason(const struct profile *p, const char *text)
{
	bool there[REASON_KINDS] = {false};
	struct str names = {0};

	for (size_t i = 1; i < p->reasons.n; i++)
		if (p->reasons.at[i].kind < REASON_KINDS)
			there[p->reasons.at[i].kind] = true;
	for (enum reason_kind k = REASON_NONE + 1; k < REASON_KINDS; k++)
		if (there[k])
			str_addf(&names, "%s%s", names.n ? ", " : "", reason_kind_name(k));
	if (names.n)
		err(-ENOENT, "no wait has a reason, call or object that matches '%s': there are %s",
		    text, str_text(&names));
	else
		err(-ENOENT,
		    "--reason '%s': the profile has no reasons of waits, which eprof "
		    "--off-cpu captures",
		    text);
	str_release(&names);
	return -ENOENT;
}

const char *filter_metric_of_waits(const struct profile *p)
{
	const struct samples *s = &p->samples;

	for (size_t m = 0; m < s->values.n; m++)
		for (size_t i = 0; i < s->n; i++)
			if (s->at[i].reason && s->values.at[m].at[i])
				return profile_text(p, p->metrics.at[m].name);
	return NULL;
}

void filter_choose_metric(const struct profile *p, struct selection *sel)
{
	if (sel->reason && !sel->metric)
		sel->metric = filter_metric_of_waits(p);
}

static int choose_reasons(struct filter *f, const struct selection *sel)
{
	const struct profile *p = f->profile;
	struct pattern *pattern = NULL;
	bool any = false;
	int rc = sel->reason ? pattern_new(sel->reason, &pattern) : 0;

	if (rc || !sel->reason)
		return rc;
	f->reason = mem_zalloc(p->reasons.n + 1, sizeof(*f->reason));
	for (size_t i = 1; i < p->reasons.n; i++) {
		f->reason[i] = reason_matches(p, &p->reasons.at[i], pattern);
		any |= f->reason[i];
	}
	pattern_free(pattern);
	return any ? 0 : no_reason(p, sel->reason);
}

/* --- all together ----------------------------------------------------------------------------- */

static int check_from(const struct profile *p, int64_t from_ns)
{
	char from[UNITS_BUF];

	if (p->duration_ns <= 0 || from_ns < p->duration_ns)
		return 0;
	return err(-ENOENT, "--from %s is past the end: the profile has %s",
		   units_ns(from, sizeof(from), (double)from_ns), ns_text((double)p->duration_ns));
}

int filter_init(struct filter *f, const struct profile *p, const struct selection *sel)
{
	int rc;

	*f = (struct filter){
		.profile = p,
		.from_ns = sel->from_ns,
		.to_ns = sel->to_ns ? (uint64_t)sel->to_ns : UINT64_MAX,
	};
	rc = measure_find(p, sel->metric, &f->measure);
	if (!rc)
		rc = check_from(p, sel->from_ns);
	if (!rc)
		rc = threads_choose(p, &sel->threads, &f->thread);
	if (!rc)
		rc = choose_nodes(f, sel);
	if (!rc)
		rc = match_functions(p, sel->omit, name_matches, &f->omit);
	if (!rc)
		rc = filter_zones(p, sel, &f->zone);
	if (!rc)
		rc = choose_reasons(f, sel);
	if (!rc && sel->omit_idle)
		f->wait = wait_classes_of(p, sel->waits, &f->waits)->of;
	return rc;
}

void filter_release(struct filter *f)
{
	free(f->thread);
	free(f->node);
	free(f->omit);
	free(f->zone);
	free(f->reason);
	wait_classes_release(&f->waits);
	*f = (struct filter){0};
}

bool filter_takes(const struct filter *f, size_t row)
{
	const struct samples *s = &f->profile->samples;
	uint64_t t = s->at[row].time_ns;

	if (t < f->from_ns || t >= f->to_ns)
		return false;
	if (f->thread && !f->thread[s->at[row].thread])
		return false;
	if (f->node && !f->node[s->at[row].node])
		return false;
	if (f->zone && !f->zone[s->at[row].zone])
		return false;
	if (f->wait && f->wait[row] == WAIT_IDLE)
		return false;
	return !f->reason || f->reason[s->at[row].reason];
}

int64_t filter_value(const struct filter *f, size_t row)
{
	return filter_takes(f, row) ? measure_value(f->profile, &f->measure, row) : 0;
}

/* The options that leave samples out, in words: "--focus a, --from 2.00 s". */
static void add_options(struct str *s, const struct selection *sel)
{
	const struct {
		const char *name, *value;
	} options[] = {{"--thread", sel->threads.thread}, {"--pid", sel->threads.pid},
		       {"--cgroup", sel->threads.cgroup}, {"--zone", sel->zone},
		       {"--focus", sel->focus},		  {"--ignore", sel->ignore},
		       {"--module", sel->module},	  {"--file", sel->file},
		       {"--reason", sel->reason}};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (options[i].value)
			str_addf(s, "%s%s %s", s->n ? ", " : "", options[i].name, options[i].value);
	if (sel->omit_idle)
		str_addf(s, "%s--omit-idle", s->n ? ", " : "");
	if (sel->from_ns)
		str_addf(s, "%s--from %s", s->n ? ", " : "", ns_text((double)sel->from_ns));
	if (sel->to_ns)
		str_addf(s, "%s--to %s", s->n ? ", " : "", ns_text((double)sel->to_ns));
}

int filter_check_any(const struct filter *f, const struct selection *sel)
{
	const struct profile *p = f->profile;
	bool stacks = sel->focus || sel->ignore || sel->module || sel->file || sel->from_ns ||
		      sel->to_ns || sel->reason || sel->omit_idle;
	bool places = !thread_choice_is_all(&sel->threads) || sel->zone;
	struct str options = {0};
	int64_t samples = 0;

	/* Calls of a timeline may be left. */
	if (!profile_has(p, PART_SAMPLES) || profile_has(p, PART_EVENTS) ||
	    !(stacks || (places && !p->zones.n)))
		return 0;
	for (size_t i = 0; i < p->samples.n; i++) {
		if (filter_value(f, i))
			return 0;
		samples += measure_value(p, &f->measure, i) != 0;
	}
	if (!samples)
		return 0;
	add_options(&options, sel);
	err(-ENOENT, "no sample is left of the profile's %s by %s", count_text(samples),
	    str_text(&options));
	str_release(&options);
	return -ENOENT;
}
