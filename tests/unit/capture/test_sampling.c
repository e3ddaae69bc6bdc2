/* By task or by CPU: what a capture begins with, and when ticks of tasks fall short. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "load/sampling.h"

#define MS 1e6

static struct sampling choose(struct target *t, enum sampler asked, double hz, size_t events)
{
	struct sampling_options o = {.target = t, .asked = asked, .hz = hz, .n_events = events};

	return sampling_choose(&o);
}

static void test_by_target(void **state)
{
	struct target all = {.kind = TARGET_ALL}, command = {.kind = TARGET_COMMAND},
		      thread = {.kind = TARGET_TID};

	(void)state;
	assert_int_equal(choose(&all, SAMPLER_TASK, 99, 1).time, SAMPLER_CPU);
	assert_int_equal(choose(&thread, SAMPLER_CPU, 99, 1).time, SAMPLER_TASK);
	assert_int_equal(choose(&command, SAMPLER_AUTO, 99, 1).time, SAMPLER_CPU);
	assert_int_equal(choose(&command, SAMPLER_AUTO, 99, 1).counts, SAMPLER_TASK);
	/* So often on every CPU is dear. */
	assert_int_equal(choose(&command, SAMPLER_AUTO, 9999, 1).time, SAMPLER_TASK);
	assert_int_equal(choose(&command, SAMPLER_CPU, 9999, 1).counts, SAMPLER_CPU);
}

/* This program has one thread. */
static void test_by_threads(void **state)
{
	struct target self = {.kind = TARGET_PIDS};

	(void)state;
	vec_push(&self.pids, (uint32_t)getpid());
	assert_int_equal(choose(&self, SAMPLER_AUTO, 99, 1).time, SAMPLER_TASK);
	for (int i = 0; i < 64; i++)
		vec_push(&self.pids, (uint32_t)getpid());
	assert_int_equal(choose(&self, SAMPLER_AUTO, 99, 1).time, SAMPLER_CPU);
	assert_int_equal(choose(&self, SAMPLER_AUTO, 99, 1).counts, SAMPLER_TASK);
	assert_int_equal(choose(&self, SAMPLER_AUTO, 9999, 1).time, SAMPLER_TASK);
	self.pids.n = 1;
	assert_int_equal(
		sampling_choose(&(struct sampling_options){&self, SAMPLER_AUTO, 99, 1, true}).time,
		SAMPLER_CPU);
	assert_int_equal(
		sampling_choose(&(struct sampling_options){&self, SAMPLER_AUTO, 9999, 1, true})
			.time,
		SAMPLER_TASK);
	self.pids.n = 65;
	/* Too many files. */
	assert_int_equal(choose(&self, SAMPLER_AUTO, 9999, 32).counts, SAMPLER_CPU);
	vec_release(&self.pids);
}

static void test_falls_short(void **state)
{
	struct coverage steady = {.ran_ns = 200 * MS, .sampled_ns = 190 * MS, .period_ns = 10 * MS},
			storm = {.ran_ns = 200 * MS, .sampled_ns = 10 * MS, .period_ns = 10 * MS},
			ends = {.ran_ns = 1e4 * MS, .sampled_ns = 9850 * MS, .period_ns = 10 * MS},
			chance = {.ran_ns = 200 * MS, .sampled_ns = 260 * MS, .period_ns = 10 * MS};

	(void)state;
	assert_false(sampling_falls_short(&steady));
	assert_true(sampling_falls_short(&storm));
	/* Periods of 15 threads are open: 1.5 % */
	assert_false(sampling_falls_short(&ends));
	assert_false(sampling_falls_short(&chance));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_target),
		cmocka_unit_test(test_by_threads),
		cmocka_unit_test(test_falls_short),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
