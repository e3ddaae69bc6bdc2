#include "timeline/call_choice.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "model/profile.h"
#include "model/timed_event.h"
#include "query/filter.h"
#include "query/zone_condition.h"
#include "timeline/event_prices.h"

/* What calls are tested with: per function, NULL where nothing is asked. */
struct tests {
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

static int tests_init(struct tests *t, const struct profile *p, const struct selection *s)
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

static void tests_release(struct tests *t)
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

static uint8_t passed(const struct tests *t, uint32_t function)
{
	return (uint8_t)((t->focus && t->focus[function] ? FOCUS : 0) |
			 (t->ignore && t->ignore[function] ? IGNORE : 0) |
			 (t->module && t->module[function] ? MODULE : 0) |
			 (t->file && t->file[function] ? FILE_ : 0) |
			 (t->zone && t->zone[function] ? ZONE : 0));
}

static uint8_t wanted(const struct tests *t)
{
	return (uint8_t)((t->focus ? FOCUS : 0) | (t->module ? MODULE : 0) | (t->file ? FILE_ : 0) |
			 (t->zone ? ZONE : 0));
}

/* --- the choice ------------------------------------------------------------------------------- */

static bool in_time(const struct call_choice *c, const struct call *call)
{
	return call->start_ns < c->to_ns &&
	       (call->end_ns > c->from_ns || call->start_ns >= c->from_ns);
}

static void choose(struct call_choice *c, const struct tests *t)
{
	const struct profile *p = c->profile;
	const uint8_t all = wanted(t);
	_free_ uint8_t *has = mem_zalloc(c->calls.at.n + 1, sizeof(*has));

	for (uint32_t i = 0; i < c->calls.at.n; i++) {
		const struct call *call = &c->calls.at.at[i];
		const uint32_t function = p->frames.at[call->frame].function;
		const uint32_t thread = c->calls.lanes.at[call->lane].thread;

		has[i] = passed(t, function);
		if (call->parent != CALLS_NONE)
			has[i] |= has[call->parent];
		if ((has[i] & all) == all && !(has[i] & IGNORE) && in_time(c, call) &&
		    !(t->omit && t->omit[function]) && (!c->thread || c->thread[thread]))
			vec_push(&c->taken, i);
	}
}

int calls_find_selected(const struct profile *p, const struct profile *part,
			const struct selection *s, struct calls *out)
{
	struct event_prices prices = {0};
	_free_ uint64_t *times = NULL;
	const int rc = s->net ? event_prices_find(p, part, &prices) : 0;

	*out = (struct calls){0};
	if (!rc && s->net)
		times = event_net_times(&prices);
	if (!rc)
		calls_find_at(part, times, out);
	event_prices_release(&prices);
	return rc;
}

int call_choice_init(struct call_choice *c, const struct profile *p, const struct selection *s)
{
	struct tests t = {0};
	int rc;

	*c = (struct call_choice){.profile = p,
				  .from_ns = (uint64_t)s->from_ns,
				  .to_ns = s->to_ns ? (uint64_t)s->to_ns : UINT64_MAX};
	rc = threads_choose(p, &s->threads, &c->thread);
	if (!rc)
		rc = tests_init(&t, p, s);
	if (!rc)
		rc = calls_find_selected(p, p, s, &c->calls);
	if (!rc)
		choose(c, &t);
	tests_release(&t);
	return rc;
}

void call_choice_release(struct call_choice *c)
{
	calls_release(&c->calls);
	vec_release(&c->taken);
	free(c->thread);
	*c = (struct call_choice){0};
}

const struct call_choice *shared_calls_get(struct shared_calls *s, const struct profile *p,
					   const struct selection *selection, int *rc)
{
	if (!s->found)
		s->rc = call_choice_init(&s->choice, p, selection);
	s->found = true;
	*rc = s->rc;
	return s->rc ? NULL : &s->choice;
}

void shared_calls_release(struct shared_calls *s)
{
	call_choice_release(&s->choice);
	*s = (struct shared_calls){0};
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

/* Registers are 0 where they were not read. */
char *call_arguments(const struct profile *p, const struct call *c)
{
	const struct timed_event *e = c->begin == CALLS_NONE ? NULL : &p->events.at[c->begin];

	if (e && e->argument)
		return mem_strdup(profile_text(p, e->argument));
	if (e && e->value2)
		return mem_printf("%lld, %lld", (long long)e->value1, (long long)e->value2);
	return e && e->value1 ? mem_printf("%lld", (long long)e->value1) : mem_strdup("");
}

char *call_result(const struct profile *p, const struct call *c)
{
	const struct timed_event *e = c->end == CALLS_NONE ? NULL : &p->events.at[c->end];

	if (!e || (e->event != EVENT_RETURN && e->event != EVENT_C_RETURN))
		return mem_strdup("");
	if (e->argument)
		return mem_strdup(profile_text(p, e->argument));
	return e->value2 ? mem_printf("%lld", (long long)e->value2) : mem_strdup("");
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

char *call_lane_name(const struct profile *p, const struct call_lane *l)
{
	const struct thread *t = &p->threads.at[l->thread];
	const char *name = profile_text(p, t->name);

	return l->coroutine ? mem_printf("coroutine %u, first in %s %u", l->coroutine, name, t->tid)
			    : mem_printf("%s %u", name, t->tid);
}
