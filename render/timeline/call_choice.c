#include "timeline/call_choice.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "model/profile.h"
#include "query/filter.h"
#include "query/zone_condition.h"

/* What calls are tested with: per function, NULL where nothing is asked. */
struct call_tests {
	bool *focus, *ignore, *module, *file, *omit, *zone;
};

/* --- the tests -------------------------------------------------------------------------------- */

/* *@out: per function whether it has the name of a zone that --zone means. */
static int match_zones(const struct profile *p, const char *text, bool **out)
{
	struct map names = {0};
	_free_ bool *zone = NULL;
	bool fresh;
	int rc = zone_match(p, text, &zone);

	if (rc || !zone)
		return rc;
	*out = mem_zalloc(p->functions.n + 1, sizeof(**out));
	for (size_t i = 0; i < p->zones.n; i++)
		if (zone[i])
			map_put(&names, p->zones.at[i].name, &fresh);
	for (size_t i = 0; i < p->functions.n; i++)
		(*out)[i] = map_get(&names, p->functions.at[i].name) != NULL;
	map_release(&names);
	return 0;
}

static int tests_init(struct call_tests *t, const struct profile *p, const struct selection *s)
{
	int rc = filter_functions(p, s->focus, FILTER_NAME, &t->focus);

	if (!rc)
		rc = filter_functions(p, s->ignore, FILTER_NAME, &t->ignore);
	if (!rc)
		rc = filter_functions(p, s->module, FILTER_MODULE, &t->module);
	if (!rc)
		rc = filter_functions(p, s->file, FILTER_FILE, &t->file);
	if (!rc)
		rc = filter_functions(p, s->omit, FILTER_NAME, &t->omit);
	return rc ? rc : match_zones(p, s->zone, &t->zone);
}

static void tests_release(struct call_tests *t)
{
	free(t->focus);
	free(t->ignore);
	free(t->module);
	free(t->file);
	free(t->omit);
	free(t->zone);
}

/* Which tests a call or one around it passes, a bit each. */
enum passed { FOCUS = 1, IGNORE = 2, MODULE = 4, FILE_ = 8, ZONE = 16 };

static uint8_t passed(const struct call_tests *t, uint32_t function)
{
	return (uint8_t)((t->focus && t->focus[function] ? FOCUS : 0) |
			 (t->ignore && t->ignore[function] ? IGNORE : 0) |
			 (t->module && t->module[function] ? MODULE : 0) |
			 (t->file && t->file[function] ? FILE_ : 0) |
			 (t->zone && t->zone[function] ? ZONE : 0));
}

static uint8_t wanted(const struct call_tests *t)
{
	return (uint8_t)((t->focus ? FOCUS : 0) | (t->module ? MODULE : 0) | (t->file ? FILE_ : 0) |
			 (t->zone ? ZONE : 0));
}

/* --- the choice ------------------------------------------------------------------------------- */

int call_choice_init(struct call_choice *c, const struct profile *p, const struct selection *s)
{
	int rc;

	*c = (struct call_choice){.profile = p,
				  .from_ns = (uint64_t)s->from_ns,
				  .to_ns = s->to_ns ? (uint64_t)s->to_ns : UINT64_MAX,
				  .tests = mem_zalloc(1, sizeof(*c->tests)),
				  .net = s->net};
	rc = threads_choose(p, &s->threads, &c->thread);
	if (!rc)
		rc = tests_init(c->tests, p, s);
	if (!rc && s->net)
		rc = event_prices_find(p, p, &c->prices);
	return rc;
}

void call_choice_release(struct call_choice *c)
{
	if (c->tests)
		tests_release(c->tests);
	free(c->tests);
	free(c->thread);
	event_prices_release(&c->prices);
	vec_release(&c->cuts);
	*c = (struct call_choice){0};
}

uint8_t call_choice_passed(const struct call_choice *c, uint32_t frame)
{
	return passed(c->tests, c->profile->frames.at[frame].function);
}

static bool in_time(const struct call_choice *c, const struct call *call)
{
	return call->start_ns < c->to_ns &&
	       (call->end_ns > c->from_ns || call->start_ns >= c->from_ns);
}

bool call_choice_takes_call(const struct call_choice *c, const struct call *call, uint32_t thread,
			    uint8_t has)
{
	const struct call_tests *t = c->tests;
	const uint8_t all = wanted(t);

	return (has & all) == all && !(has & IGNORE) && in_time(c, call) &&
	       !(t->omit && t->omit[c->profile->frames.at[call->frame].function]) &&
	       (!c->thread || c->thread[thread]);
}

bool call_choice_takes(const struct call_choice *c, const struct timed_event *e)
{
	return e->time_ns >= c->from_ns && e->time_ns < c->to_ns &&
	       (!c->thread || c->thread[e->thread]);
}

/* --- words ------------------------------------------------------------------------------------ */

const struct function *call_function(const struct profile *p, const struct call *c)
{
	return &p->functions.at[p->frames.at[c->frame].function];
}

const char *call_name(const struct profile *p, const struct call *c)
{
	return profile_text(p, call_function(p, c)->name);
}

const char *call_ended(const struct call *c)
{
	static const char *const words[] = {
		[0] = "",
		[CALL_CUT_BEGIN] = "cut at its begin",
		[CALL_CUT_END] = "cut at its end",
		[CALL_CUT_BEGIN | CALL_CUT_END] = "cut at both ends",
		[CALL_PASSED] = "left by an exception",
		[CALL_PASSED | CALL_CUT_BEGIN] = "cut at its begin, left by an exception",
		[CALL_JUMPED] = "left by a jump",
		[CALL_JUMPED | CALL_CUT_BEGIN] = "cut at its begin, left by a jump",
		[CALL_UNSEEN] = "not seen to end",
	};
	const uint32_t flags = c->flags & ~(uint32_t)CALL_C;

	return flags < sizeof(words) / sizeof(*words) && words[flags] ? words[flags] : "";
}

char *call_lane_name(const struct profile *p, uint32_t thread, uint32_t coroutine)
{
	const struct thread *t = &p->threads.at[thread];
	const char *name = profile_text(p, t->name);

	return coroutine ? mem_printf("coroutine %u, first in %s %u", coroutine, name, t->tid)
			 : mem_printf("%s %u", name, t->tid);
}
