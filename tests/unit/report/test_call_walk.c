/* The walk through the calls of a timeline: the same calls, nested in the same way, as those that
 * are found with all of them in memory; in order of time; and of as many events as there are no
 * more is kept. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "timeline/call_groups.h"
#include "timeline/call_order.h"
#include "timeline/call_sums.h"

#include "timeline_profile.h"
#include "walked_calls.h"

/* --- helpers -------------------------------------------------------------------------------- */

#define FUNCTIONS 5

static uint32_t dice(uint64_t *state, uint32_t n)
{
	*state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(*state >> 33) % n;
}

/* Events of two threads and two coroutines that nothing has kept in order: begins, ends of what is
 * open or never began, exceptions, gaps of the time and events of the same time. No two times are
 * the same if @apart. */
static struct profile *random_events(uint64_t seed, uint32_t n, bool apart)
{
	static const char *const names[FUNCTIONS] = {"a", "b", "c", "d", "e"};
	struct profile *p = timeline_profile();
	uint64_t now = 1000, state = seed;

	for (uint32_t i = 0; i < n; i++) {
		const char *name = names[dice(&state, FUNCTIONS)];
		const uint32_t thread = dice(&state, 2), what = dice(&state, 20);
		const uint32_t coroutine = dice(&state, 4) ? 0 : 1 + dice(&state, 2);
		const uint32_t kind = what < 9	  ? EVENT_CALL
				      : what < 18 ? EVENT_RETURN
				      : what < 19 ? EVENT_EXCEPTION
						  : EVENT_SWITCH_IN;

		now += apart ? 1 + dice(&state, 20) : dice(&state, 3);
		timeline_put(p, now, thread, coroutine, kind, kind == EVENT_SWITCH_IN ? "" : name,
			     kind == EVENT_RETURN      ? dice(&state, 200)
			     : kind == EVENT_EXCEPTION ? 1 + dice(&state, 4)
						       : 0);
	}
	p->duration_ns = (int64_t)now + 10;
	return p;
}

static struct call_choice choice_of(const struct profile *p, const struct selection *s)
{
	struct call_choice c;

	assert_int_equal(call_choice_init(&c, p, s), 0);
	return c;
}

/* --- tests ---------------------------------------------------------------------------------- */

/* An end and a begin at one time have an order, which the list sees by the times alone. */
static void same_as_the_list(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 300; seed++) {
		struct profile *p = random_events(seed, 20 + (uint32_t)seed, true);
		struct call_choice choice = choice_of(p, &(struct selection){0});
		struct calls list, walked;

		calls_find(p, &list);
		assert_int_equal(walked_calls_find(&choice, &walked), 0);
		assert_int_equal(walked.at.n, list.at.n);
		for (size_t i = 0; i < list.at.n; i++) {
			const struct call *a = &list.at.at[i], *b = &walked.at.at[i];

			if (memcmp(a, b, sizeof(*a)))
				fail_msg("timeline %d: call %zu is another", (int)seed, i);
			assert_true(a->self_ns <= call_ns(a));
		}
		calls_release(&list);
		calls_release(&walked);
		call_choice_release(&choice);
		profile_free(p);
	}
}

static void assert_in_order(struct profile *p, bool net)
{
	struct call_choice choice = choice_of(p, &(struct selection){.net = net});
	const struct walked_call *c;
	struct call_order order;
	walked_calls all = {0};
	uint64_t before = 0;
	size_t n = 0;

	assert_int_equal(walk_calls(&choice, &all), 0);
	assert_int_equal(call_order_begin(&order, &choice), 0);
	for (; (c = call_order_next(&order)); n++) {
		const struct walked_call *same =
			bsearch(c, all.at, all.n, sizeof(*c), walked_order);

		assert_true(c->call.start_ns >= before);
		before = c->call.start_ns;
		assert_non_null(same);
		assert_int_equal(same->call.end_ns, c->call.end_ns);
		assert_int_equal(same->call.self_ns, c->call.self_ns);
		assert_int_equal(same->call.depth, c->call.depth);
	}
	assert_int_equal(n, all.n);
	assert_int_equal(call_order_end(&order), 0);
	vec_release(&all);
	call_choice_release(&choice);
	profile_free(p);
}

static void in_order_of_time(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 100; seed++) {
		struct profile *p = random_events(seed, 200, seed % 2);

		profile_price(p, "timeline: recording a call", "ns", 7);
		profile_price(p, "timeline: recording a return", "ns", 5);
		assert_in_order(p, seed % 4 < 2);
	}
}

/* What lasts, begins before what it is told after; a return whose call began before all. */
static struct profile *long_timeline(uint32_t n)
{
	struct profile *p = timeline_profile();
	const uint32_t frame = small_frame(p, "f", 1);

	timeline_call(p, 1, "main");
	timeline_put(p, 2, 1, 0, EVENT_CALL, "job", 0);
	for (uint32_t i = 0; i < n; i++)
		vec_push(&p->events,
			 ((struct timed_event){.time_ns = 10 + 10 * i + i % 2 * 9,
					       .frame = frame,
					       .event = i % 2 ? EVENT_RETURN : EVENT_CALL,
					       .value1 = i % 2 ? 9 : 0}));
	timeline_put(p, 20 + 10 * n, 1, 0, EVENT_RETURN, "poll", 10 * n);
	timeline_put(p, 30 + 10 * n, 1, 0, EVENT_RETURN, "older", 10 * n + 40);
	timeline_return(p, 40 + 10 * n, "main", 10 * n + 39);
	p->duration_ns = 50 + 10 * n;
	return p;
}

static void keeps_few(void **state)
{
	struct profile *p = long_timeline(16 * CALL_ORDER_ROWS);
	struct call_choice choice = choice_of(p, &(struct selection){0});
	struct call_order order;
	struct call_sums sums;
	size_t n = 0;

	(void)state;
	assert_int_equal(call_sums_find(&choice, &sums), 0);
	assert_int_equal(sums.taken, 8 * CALL_ORDER_ROWS + 4);
	assert_int_equal(sums.slowest.n, SLOWEST_MOST);
	assert_true(sums.slowest.cap <= 4 * SLOWEST_MOST);
	assert_string_equal(call_name(p, &sums.longest.call), "job");
	assert_int_equal(call_ns(&sums.longest.call), 48 + 160 * CALL_ORDER_ROWS);
	call_sums_release(&sums);
	assert_int_equal(call_order_begin(&order, &choice), 0);
	while (call_order_next(&order))
		n++;
	assert_int_equal(n, 8 * CALL_ORDER_ROWS + 4);
	assert_int_equal(order.lasting.n, 4);
	assert_true(order.waiting.n <= 16);
	assert_true(order.walk.open.n <= 8);
	assert_int_equal(call_order_end(&order), 0);
	call_choice_release(&choice);
	profile_free(p);
}

static int up(const void *a, const void *b)
{
	return order_up(*(const uint64_t *)a, *(const uint64_t *)b);
}

/* Percentiles are exact, in whichever bins they are. */
static void exact_percentiles(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 20; seed++) {
		struct profile *p = timeline_profile();
		const uint32_t n = 1 + (uint32_t)seed * 37;
		uint64_t now = 0, dices = seed, *ns = mem_zalloc(n, sizeof(*ns));
		struct call_choice choice;
		struct call_groups groups;

		for (uint32_t i = 0; i < n; i++) {
			ns[i] = (uint64_t)dice(&dices, 1000) << dice(&dices, 40);
			timeline_call(p, now, "f");
			timeline_return(p, now + ns[i], "f", (int64_t)ns[i]);
			now += ns[i] + 1;
		}
		p->duration_ns = (int64_t)now;
		qsort(ns, n, sizeof(*ns), up);
		choice = choice_of(p, &(struct selection){0});
		assert_int_equal(call_groups_find(&choice, false, &groups), 0);
		assert_int_equal(groups.at.n, 1);
		assert_int_equal(groups.at.at[0].at_ns[0], ns[(n + 1) / 2 - 1]);
		assert_int_equal(groups.at.at[0].at_ns[1], ns[(9 * n + 9) / 10 - 1]);
		assert_int_equal(groups.at.at[0].at_ns[2], ns[(99 * n + 99) / 100 - 1]);
		call_groups_release(&groups);
		call_choice_release(&choice);
		profile_free(p);
		free(ns);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_as_the_list),
		cmocka_unit_test(in_order_of_time),
		cmocka_unit_test(keeps_few),
		cmocka_unit_test(exact_percentiles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
