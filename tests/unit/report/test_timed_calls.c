/* The calls of a timeline are those of its events: nested, cut where events are missing. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "store/store.h"
#include "timeline/timed_calls.h"

#include "temp_folder.h"
#include "timeline_profile.h"

/* --- helpers -------------------------------------------------------------------------------- */

#define CALL(t, name)	    timeline_put(p, t, 0, 0, EVENT_CALL, name, 0)
#define RETURN(t, name, ns) timeline_put(p, t, 0, 0, EVENT_RETURN, name, ns)

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
		cmocka_unit_test(no_calls),
		IN_FOLDER(goes_through_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
