/* Stacks taken before a wait meet its end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "source/offcpu_held.h"
#include "stack/stackbook.h"

/* Threads outside our PID namespace share one number: the kernel's own tells them apart. */
static void put(struct offcpu_held *h, uint32_t tid, uint64_t left_ns, uint32_t user)
{
	const struct wire_offcpu left = {
		.sample = {.pid = 7,
			   .tid = WIRE_OUTSIDE,
			   .time_ns = left_ns,
			   .event = 5 << WIRE_ZONE_SHIFT | WIRE_OFF_STREAM_AHEAD},
		.wait_ns = tid,
		.reason = {.call = 202}};
	const struct sample_row row = {.thread = 3, .user = user, .kernel = NO_STACK};

	offcpu_held_put(h, &left, &row);
}

/* The user stack that the end of a wait meets; NO_STACK: none. */
static uint32_t end(struct offcpu_held *h, uint32_t tid, uint64_t left_ns)
{
	struct wire_offcpu back = {.sample = {.tid = WIRE_OUTSIDE,
					      .time_ns = left_ns + 50,
					      .weight = 900,
					      .user_hash = left_ns,
					      .kernel_hash = tid,
					      .event = WIRE_OFF_STREAM(1)}};
	struct offcpu_wait wait;

	if (!offcpu_held_end(h, &back, &wait))
		return NO_STACK;
	assert_int_equal(wait.thread, 3);
	assert_int_equal(back.reason.call, 202);
	assert_int_equal(back.sample.user_hash | back.sample.kernel_hash, 0);
	assert_int_equal(back.sample.event, 5 << WIRE_ZONE_SHIFT | WIRE_OFF_STREAM(1));
	assert_int_equal(back.sample.weight, 900);
	return wait.user;
}

static void test_pairs(void **state)
{
	struct offcpu_held h = {0};

	(void)state;
	put(&h, 11, 100, 4);
	assert_int_equal(end(&h, 12, 100), NO_STACK);
	assert_int_equal(end(&h, 11, 100), 4);
	/* It has ended. */
	assert_int_equal(end(&h, 11, 100), NO_STACK);
	offcpu_held_release(&h);
}

/* The stack of an earlier wait, whose end was lost, is not that of a later one. */
static void test_other_wait(void **state)
{
	struct offcpu_held h = {0};

	(void)state;
	put(&h, 11, 100, 4);
	assert_int_equal(end(&h, 11, 200), NO_STACK);
	put(&h, 11, 200, 5);
	assert_int_equal(end(&h, 11, 200), 5);
	offcpu_held_release(&h);
}

/* However many threads there were, those that wait are held, and few more. */
static void test_bounded(void **state)
{
	struct offcpu_held h = {0};

	(void)state;
	put(&h, 1, 100, 4);
	for (uint32_t tid = 2; tid < 100000; tid++) {
		put(&h, tid, tid, 5);
		assert_int_equal(end(&h, tid, tid), 5);
		assert_in_range(h.waits.n, 1, 2000);
	}
	assert_int_equal(end(&h, 1, 100), 4);
	offcpu_held_release(&h);
}

/* At the end of a window, waits that are not over keep their stacks, under new numbers; the others
 * leave. */
static void test_window(void **state)
{
	struct offcpu_held h = {0};
	struct remains r = {0};

	(void)state;
	for (int i = 0; i < 6; i++) {
		vec_push(&r.stacks, 0);
		vec_push(&r.threads, 0);
	}
	put(&h, 11, 100, 4);
	put(&h, 12, 100, 5);
	assert_int_equal(end(&h, 11, 100), 4);
	offcpu_held_window_forget(&h, &r);
	assert_int_equal(h.waits.n, 1);
	assert_false(r.stacks.at[4]);
	assert_true(r.stacks.at[5]);
	assert_true(r.threads.at[3]);
	r.stacks.at[5] = 1;
	offcpu_held_window_renumber(&h, &r);
	assert_int_equal(h.waits.at[0].thread, 1);
	assert_int_equal(h.waits.at[0].kernel, NO_STACK);
	h.waits.at[0].thread = 3;
	assert_int_equal(end(&h, 12, 100), 1);
	offcpu_held_release(&h);
	remains_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pairs),
		cmocka_unit_test(test_other_wait),
		cmocka_unit_test(test_bounded),
		cmocka_unit_test(test_window),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
