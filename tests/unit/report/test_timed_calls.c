/* The calls of a timeline are those of its events: nested, cut where events are missing. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "store/store.h"
#include "timeline/call_zones.h"
#include "timeline/event_prices.h"
#include "timeline/timed_calls.h"

#include "temp_folder.h"
#include "timeline_profile.h"
#include "walked_calls.h"

/* --- helpers -------------------------------------------------------------------------------- */

#define CALL(t, name)	    timeline_call(p, t, name)
#define RETURN(t, name, ns) timeline_return(p, t, name, ns)

static struct calls calls_of(struct profile *p)
{
	struct calls c;

	assert_int_equal(profile_check(p), 0);
	calls_find(p, &c);
	return c;
}

static void assert_call(const struct profile *p, const struct calls *c, uint32_t i,
			const char *name, const struct call *is)
{
	const struct call *at = &c->at.at[i];
	const struct function *f = &p->functions.at[p->frames.at[at->frame].function];

	assert_true(i < c->at.n);
	assert_string_equal(profile_text(p, f->name), name);
	assert_int_equal(at->start_ns, is->start_ns);
	assert_int_equal(at->end_ns, is->end_ns);
	assert_int_equal(at->self_ns, is->self_ns);
	assert_int_equal(at->parent, is->parent);
	assert_int_equal(at->depth, is->depth);
	assert_int_equal(at->flags, is->flags);
	assert_int_equal(at->lane, is->lane);
}
#define ASSERT_CALL(i, name, start, end, self, around, deep, ...) \
	assert_call(p, &c, i, name,                               \
		    &(struct call){.start_ns = (start),           \
				   .end_ns = (end),               \
				   .self_ns = (self),             \
				   .parent = (around),            \
				   .depth = (deep),               \
				   __VA_ARGS__})

static void release(struct profile *p, struct calls *c)
{
	calls_release(c);
	profile_free(p);
}

/* --- tests ---------------------------------------------------------------------------------- */

static void nested_by_thread(void **state)
{
	struct profile *p = timeline_profile();
	struct calls c;

	(void)state;
	CALL(10, "f");
	timeline_put(p, 15, 1, 0, EVENT_CALL, "f", 0);
	CALL(20, "g");
	CALL(30, "f");
	timeline_put(p, 35, 1, 0, EVENT_RETURN, "f", 20);
	RETURN(40, "f", 10);
	RETURN(50, "g", 30);
	timeline_put(p, 55, 0, 0, EVENT_C_CALL, "h", 0);
	timeline_put(p, 57, 0, 0, EVENT_C_RETURN, "h", 2);
	RETURN(60, "f", 50);
	c = calls_of(p);
	assert_int_equal(c.at.n, 5);
	ASSERT_CALL(0, "f", 10, 60, 18, CALLS_NONE, 0, .lane = 0);
	ASSERT_CALL(1, "g", 20, 50, 20, 0, 1, .lane = 0);
	ASSERT_CALL(2, "f", 30, 40, 10, 1, 2, .lane = 0);
	ASSERT_CALL(3, "h", 55, 57, 2, 0, 1, .flags = CALL_C, .lane = 0);
	ASSERT_CALL(4, "f", 15, 35, 20, CALLS_NONE, 0, .lane = 1);
	assert_int_equal(c.lanes.n, 2);
	assert_int_equal(c.lanes.at[0].n, 4);
	assert_int_equal(c.lanes.at[0].depth, 3);
	assert_int_equal(c.lanes.at[1].first, 4);
	release(p, &c);
}

static void cut_at_both_ends(void **state)
{
	struct profile *p = timeline_profile();
	struct calls c;

	(void)state;
	CALL(10, "inner");
	RETURN(20, "inner", 10);
	RETURN(30, "outer", 25);
	RETURN(40, "longer", 1 << 20);
	CALL(50, "f");
	CALL(60, "g");
	RETURN(70, "f", 20);
	CALL(80, "last");
	c = calls_of(p);
	assert_int_equal(c.at.n, 6);
	ASSERT_CALL(0, "longer", 0, 40, 15, CALLS_NONE, 0, .flags = CALL_CUT_BEGIN);
	ASSERT_CALL(1, "outer", 5, 30, 15, 0, 1, .flags = CALL_CUT_BEGIN);
	ASSERT_CALL(2, "inner", 10, 20, 10, 1, 2, .flags = 0);
	ASSERT_CALL(3, "f", 50, 70, 10, CALLS_NONE, 0, .flags = 0);
	ASSERT_CALL(4, "g", 60, 70, 10, 3, 1, .flags = CALL_CUT_END);
	ASSERT_CALL(5, "last", 80, 1000, 920, CALLS_NONE, 0, .flags = CALL_CUT_END);
	release(p, &c);
}

static void exceptions_end_calls(void **state)
{
	struct profile *p = timeline_profile();
	struct calls c;

	(void)state;
	CALL(10, "f");
	CALL(20, "g");
	CALL(30, "h");
	timeline_put(p, 35, 0, 0, EVENT_EXCEPTION, "_Unwind_RaiseException", EVENT_THROWN);
	timeline_put(p, 40, 0, 0, EVENT_EXCEPTION, "h", EVENT_PASSED);
	timeline_put(p, 40, 0, 0, EVENT_C_EXCEPTION, "g", EVENT_JUMPED);
	timeline_put(p, 41, 0, 0, EVENT_EXCEPTION, "__cxa_begin_catch", EVENT_CAUGHT);
	RETURN(50, "f", 40);
	c = calls_of(p);
	assert_int_equal(c.at.n, 3);
	ASSERT_CALL(0, "f", 10, 50, 20, CALLS_NONE, 0, .flags = 0);
	ASSERT_CALL(1, "g", 20, 40, 10, 0, 1, .flags = CALL_JUMPED);
	ASSERT_CALL(2, "h", 30, 40, 10, 1, 2, .flags = CALL_PASSED);
	release(p, &c);
}

static void a_coroutine_is_one_lane_in_whichever_thread(void **state)
{
	struct profile *p = timeline_profile();
	struct calls c;

	(void)state;
	timeline_put(p, 10, 0, 7, EVENT_CALL, "f", 0);
	CALL(20, "g");
	RETURN(30, "g", 10);
	timeline_put(p, 40, 1, 7, EVENT_RETURN, "f", 30);
	c = calls_of(p);
	assert_int_equal(c.at.n, 2);
	ASSERT_CALL(0, "g", 20, 30, 10, CALLS_NONE, 0, .lane = 0);
	ASSERT_CALL(1, "f", 10, 40, 30, CALLS_NONE, 0, .lane = 1);
	assert_int_equal(c.lanes.at[1].coroutine, 7);
	assert_int_equal(c.lanes.at[1].thread, 0);
	release(p, &c);
}

/* A zone of the function whose two calls cost 40 ns each, of which 10 are within its own time. */
static void put_price(struct profile *p, const char *name)
{
	const uint32_t frame = small_frame(p, name, strlen(name));
	const struct function *f = &p->functions.at[p->frames.at[frame].function];
	const uint32_t zone =
		profile_zone(p, &(struct zone){.name = f->name,
					       .module = f->module,
					       .function = p->frames.at[frame].function,
					       .counts = 2,
					       .probe_ns = 80,
					       .flags = ZONE_COMPENSATED});
	const uint32_t row = profile_zone_edge(p, 0, zone);
	struct zone_edge *edge = &p->zone_edges.at[row];

	profile_add_part(p, PART_ZONES);
	edge->counts = edge->timed = 2;
	edge->self_ns = 100;
	edge->comp_self_ns = 80;
}

static void net_of_what_is_before_in_the_thread(void **state)
{
	struct profile *p = timeline_profile();
	struct call_choice choice;
	struct calls c;

	(void)state;
	profile_price(p, "timeline: recording a call", "ns", 5);
	profile_price(p, "timeline: recording a return", "ns", 3);
	put_price(p, "g");
	CALL(100, "f");
	CALL(200, "g");
	RETURN(300, "g", 80); /* of the 100 that the events are apart 15 more are the probe's */
	CALL(310, "g");
	RETURN(320, "g", 4);
	timeline_put(p, 400, 1, 0, EVENT_CALL, "k", 0);
	timeline_put(p, 450, 1, 0, EVENT_RETURN, "k", 45);
	RETURN(500, "f", 0);
	timeline_put(p, 900, 1, 0, EVENT_CALL, "last", 0);
	assert_int_equal(call_choice_init(&choice, p, &(struct selection){.net = true}), 0);
	assert_int_equal(walked_calls_find(&choice, &c), 0);
	assert_int_equal(c.at.n, 5);
	ASSERT_CALL(0, "f", 100, 399, 229, CALLS_NONE, 0, .lane = 0);
	ASSERT_CALL(1, "g", 195, 265, 70, 0, 1, .lane = 0);
	ASSERT_CALL(2, "g", 265, 265, 0, 0, 1, .lane = 0);
	ASSERT_CALL(3, "k", 400, 445, 45, CALLS_NONE, 0, .lane = 1);
	ASSERT_CALL(4, "last", 892, 992, 100, CALLS_NONE, 0, .lane = 1, .flags = CALL_CUT_END);
	calls_release(&c);
	call_choice_release(&choice);
	profile_free(p);
}

static void no_prices(void **state)
{
	struct profile *p = timeline_profile();
	struct event_prices prices;

	(void)state;
	assert_int_equal(event_prices_find(p, p, &prices), -ENOENT);
	event_prices_release(&prices);
	profile_free(p);
}

static const struct zone *zone_of(const struct profile *p, const char *name)
{
	vec_each (z, &p->zones)
		if (!strcmp(profile_text(p, z->name), name))
			return z;
	return NULL;
}

static void calls_add_up_to_zones(void **state)
{
	struct profile *p = timeline_profile();
	const struct zone *z;

	(void)state;
	CALL(10, "f");
	CALL(20, "f");
	CALL(30, "g");
	RETURN(35, "g", 5);
	RETURN(40, "f", 20);
	RETURN(50, "f", 40);
	CALL(60, "g");
	timeline_put(p, 70, 0, 0, EVENT_EXCEPTION, "g", EVENT_PASSED);
	CALL(75, "g");
	timeline_put(p, 75, 0, 0, EVENT_EXCEPTION, "g", EVENT_UNSEEN);
	timeline_put(p, 80, 1, 0, EVENT_CALL, "g", 0);
	timeline_put(p, 95, 1, 0, EVENT_RETURN, "g", 15);
	CALL(900, "f");
	call_zones_add(p);
	assert_int_equal(profile_check(p), 0);
	assert_int_equal(p->zones.n, 2);
	z = zone_of(p, "f");
	assert_int_equal(z->counts, 2);
	assert_int_equal(z->total_ns, 40);
	assert_int_equal(z->calls_ns, 60);
	assert_int_equal(z->self_ns, 35);
	assert_int_equal(z->mean_ns, 30);
	assert_int_equal(z->in_flight, 1);
	z = zone_of(p, "g");
	assert_int_equal(z->counts, 4);
	assert_int_equal(z->unwound, 1);
	assert_int_equal(z->total_ns, 20);
	assert_int_equal(z->mean_ns, 10);
	assert_int_equal(z->max_ns, 15);
	assert_int_equal(p->zone_threads.n, 3);
	profile_free(p);
}

static void no_calls(void **state)
{
	struct profile *p = timeline_profile();
	struct calls c = calls_of(p);

	(void)state;
	assert_int_equal(c.at.n, 0);
	assert_int_equal(c.lanes.n, 0);
	release(p, &c);
}

/* Values are 64 bits of any kind; the order of times is checked. */
static void goes_through_the_file(void **state)
{
	struct profile *p = timeline_profile(), *back = NULL;

	(void)state;
	timeline_put(p, 10, 1, 3, EVENT_REALLOC_FREE, "realloc", INT64_MIN);
	timeline_put(p, 10, 0, 0, EVENT_CALL, "f", -1);
	p->events.at[1].argument = intern_add(&p->strings, "n=3");
	assert_int_equal(store_save("a.h5", false, p), 0);
	assert_int_equal(store_load("a.h5", NULL, &back), 0);
	assert_int_equal(back->events.n, 2);
	assert_int_equal(back->events.at[0].value1, INT64_MIN);
	assert_int_equal(back->events.at[0].event, EVENT_REALLOC_FREE);
	assert_int_equal(back->events.at[0].coroutine, 3);
	assert_int_equal(back->events.at[1].value1, -1);
	assert_string_equal(profile_text(back, back->events.at[1].argument), "n=3");
	p->events.at[1].time_ns = 9;
	assert_true(profile_check(p) < 0);
	profile_free(p);
	profile_free(back);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nested_by_thread),
		cmocka_unit_test(cut_at_both_ends),
		cmocka_unit_test(exceptions_end_calls),
		cmocka_unit_test(a_coroutine_is_one_lane_in_whichever_thread),
		cmocka_unit_test(net_of_what_is_before_in_the_thread),
		cmocka_unit_test(no_prices),
		cmocka_unit_test(calls_add_up_to_zones),
		cmocka_unit_test(no_calls),
		IN_FOLDER(goes_through_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
