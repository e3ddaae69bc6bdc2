#include "timeline/call_choice.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "model/event_cursor.h"
#include "model/profile.h"
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

/* --- all events ------------------------------------------------------------------------------- */

struct reading {
	struct call_choice *c;
	struct call_finder finder;
	struct net_clock clock; /* zeroed: times are the events' own */
	struct timed_event before;
	bool any, kept; /* there is one before; it is among those beside */
};

static bool is_beside(const struct timed_event *e)
{
	const bool exception = e->event == EVENT_EXCEPTION || e->event == EVENT_C_EXCEPTION;

	return e->event == EVENT_SWITCH_OUT || e->event == EVENT_SWITCH_IN ||
	       e->event == EVENT_TRIGGER || e->event == EVENT_LOST ||
	       (exception && !timed_event_ends(e));
}

static void keep_beside(struct reading *r, const struct timed_event *e)
{
	if (e->event == EVENT_LOST && r->any && !r->kept)
		vec_push(&r->c->beside, r->before);
	r->kept = is_beside(e);
	if (r->kept)
		vec_push(&r->c->beside, *e);
	r->before = *e;
	r->any = true;
}

static int read_all(struct reading *r, const struct profile *p)
{
	const struct timed_event *e;
	struct event_cursor cursor;

	event_cursor_init(&cursor, p);
	while ((e = event_cursor_next(&cursor))) {
		keep_beside(r, e);
		call_finder_take(&r->finder, e,
				 r->clock.of ? net_clock_time(&r->clock, e) : e->time_ns);
		r->c->events += e->event != EVENT_LOST && call_choice_takes(r->c, e);
	}
	return event_cursor_release(&cursor);
}

static int find_calls(struct call_choice *c, const struct selection *s)
{
	struct reading r = {.c = c};
	struct event_prices prices = {0};
	int rc = s->net ? event_prices_find(c->profile, c->profile, &prices) : 0;

	if (!rc) {
		if (s->net)
			net_clock_init(&r.clock, &prices);
		call_finder_init(&r.finder, c->profile, &c->calls);
		rc = read_all(&r, c->profile);
		call_finder_finish(&r.finder);
		net_clock_release(&r.clock);
	}
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
		rc = find_calls(c, s);
	if (!rc)
		choose(c, &t);
	tests_release(&t);
	return rc;
}

void call_choice_release(struct call_choice *c)
{
	calls_release(&c->calls);
	vec_release(&c->taken);
	vec_release(&c->beside);
	vec_release(&c->known);
	free(c->thread);
	*c = (struct call_choice){0};
}

/* --- what events tell of calls ---------------------------------------------------------------- */

static int by_row(const void *a, const void *b)
{
	const struct known_event *x = a, *y = b;

	return order_up(x->row, y->row);
}

static void want(struct call_choice *c, uint32_t row)
{
	if (row != CALLS_NONE)
		vec_push(&c->known, ((struct known_event){.row = row}));
}

int call_choice_know(struct call_choice *c, const uint32_t *at, size_t n)
{
	const struct timed_event *e;
	struct event_cursor cursor;
	size_t next = 0;

	if (!c->profile->events_left)
		return 0;
	c->known.n = 0;
	for (size_t i = 0; i < n; i++) {
		want(c, c->calls.at.at[at[i]].begin);
		want(c, c->calls.at.at[at[i]].end);
	}
	vec_sort(&c->known, by_row);
	event_cursor_init(&cursor, c->profile);
	for (uint32_t row = 0; next < c->known.n && (e = event_cursor_next(&cursor)); row++)
		while (next < c->known.n && c->known.at[next].row == row)
			c->known.at[next++].event = *e;
	return event_cursor_release(&cursor);
}

const struct timed_event *call_event(const struct call_choice *c, uint32_t row)
{
	const struct known_event key = {.row = row};
	const struct known_event *known;

	if (row == CALLS_NONE)
		return NULL;
	if (!c->profile->events_left)
		return &c->profile->events.at[row];
	known = c->known.n ? bsearch(&key, c->known.at, c->known.n, sizeof(*c->known.at), by_row)
			   : NULL;
	return known ? &known->event : NULL;
}

int shared_calls_know(struct shared_calls *s, const uint32_t *at, size_t n)
{
	return call_choice_know(&s->choice, at, n);
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
char *call_arguments(const struct call_choice *choice, const struct call *c)
{
	const struct timed_event *e = call_event(choice, c->begin);

	if (c->argument)
		return mem_strdup(profile_text(choice->profile, c->argument));
	if (e && e->value2)
		return mem_printf("%lld, %lld", (long long)e->value1, (long long)e->value2);
	return e && e->value1 ? mem_printf("%lld", (long long)e->value1) : mem_strdup("");
}

char *call_result(const struct call_choice *choice, const struct call *c)
{
	const struct timed_event *e = call_event(choice, c->end);

	if (!e || (e->event != EVENT_RETURN && e->event != EVENT_C_RETURN))
		return mem_strdup("");
	if (e->argument)
		return mem_strdup(profile_text(choice->profile, e->argument));
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
