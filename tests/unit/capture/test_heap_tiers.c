/* heap_tiers: how many allocations are followed, so that a limit is kept. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "heap/heap_tiers.h"

/* A target that has a CPU of its own, and what following its allocations truly takes: 1 us an entry
 * of malloc or free, 2 us more for an allocation that is followed. */
struct world {
	struct heap_tiers t;
	struct heap_use use;
	double rate; /* allocations in a second of its own */
	int changes;
	double told; /* the part of what probes take that their prices tell; 0: all */
	double hz;   /* of samples of where its threads are; 0: none are taken */
};

static void run(struct world *w, double own_s)
{
	const double calls = w->rate * own_s, hits_ns = w->t.tier == HEAP_NONE ? 0 : 2000 * calls,
		     more_ns = w->t.tier == HEAP_EXACT ? 2000 * calls : 0;

	const double told = w->told > 0 ? w->told : 1, cpu_s = own_s + (hits_ns + more_ns) / 1e9;

	w->use.calls += (uint64_t)calls;
	w->use.hits_ns += told * hits_ns;
	w->use.more_ns += told * more_ns;
	w->use.each_ns = told * 2000;
	w->use.cpu_ns += (uint64_t)(cpu_s * 1e9);
	/* As measured, time right after a trap is slower, and seen as the target's own. */
	w->use.samples += (uint64_t)(w->hz * cpu_s);
	w->use.in_probes += (uint64_t)(w->hz * (cpu_s - own_s) / 1.12);
	w->changes += heap_tiers_tick(&w->t, &w->use);
}

static struct world world_of(enum heap_tier tier, bool trial, double limit)
{
	struct world w = {.t = {.limit = limit, .tier = tier, .trial = trial},
			  .use = {.cpu_ns = 77000000000}};

	assert_false(heap_tiers_tick(&w.t, &w.use));
	return w;
}

static void a_trial_chooses(void **state)
{
	/* With 20 %: exact is 4 us, samples are 2 us an allocation. */
	const struct {
		double rate;
		enum heap_tier tier;
	} cases[] = {{10000, HEAP_EXACT}, {60000, HEAP_SAMPLED}, {200000, HEAP_NONE}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct world w = world_of(HEAP_SAMPLED, true, 0.2);

		w.rate = cases[i].rate;
		run(&w, 0.001);
		assert_int_equal(w.changes, 0); /* too little to judge */
		run(&w, 0.05);
		assert_int_equal(w.changes, 1);
		assert_int_equal(w.t.tier, cases[i].tier);
		assert_float_equal(w.t.slowdown[HEAP_EXACT].likely, cases[i].rate * 4e-6, 0.01);
		assert_float_equal(w.t.slowdown[HEAP_SAMPLED].likely, cases[i].rate * 2e-6, 0.01);
		assert_float_equal(w.t.calls_a_second, cases[i].rate, cases[i].rate / 50);
		for (int k = 0; k < 20; k++)
			run(&w, 0.2);
		assert_int_equal(w.changes, 1);
	}
}

/* Where probes take most of the time, and their price is 1.3 times what they take here or 0.7
 * times, samples tell what the slowdown is: within a third. */
static void samples_mend_the_price(void **state)
{
	const double rates[] = {200000, 500000, 1500000, 3000000}, told[] = {0.7, 1, 1.3};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		for (size_t k = 0; k < 3; k++) {
			struct world w = world_of(HEAP_SAMPLED, true, 0.2);
			const double exact = rates[i] * 4e-6, sampled = rates[i] * 2e-6;
			const struct heap_slowdown *s = w.t.slowdown;

			w.rate = rates[i];
			w.told = told[k];
			w.hz = 8000;
			run(&w, 0.02);
			assert_int_equal(w.t.tier, HEAP_NONE);
			assert_float_equal(s[HEAP_SAMPLED].likely / sampled, 1, 1. / 3);
			assert_float_equal(s[HEAP_EXACT].likely / exact, 1, 1. / 3);
			assert_true(s[HEAP_EXACT].least < exact && exact < s[HEAP_EXACT].most);
			assert_true(s[HEAP_SAMPLED].least < s[HEAP_SAMPLED].likely);
		}
	}
}

/* Of a program that does nothing but allocate no more is known than a least. */
static void what_is_not_known_has_no_most(void **state)
{
	struct world w = world_of(HEAP_SAMPLED, true, 0.2);

	(void)state;
	w.rate = 100e6;
	w.hz = 4000;
	run(&w, 0.0003);
	assert_true(isinf(w.t.slowdown[HEAP_EXACT].most));
	assert_true(w.t.slowdown[HEAP_EXACT].least > 4);
	assert_true(w.t.slowdown[HEAP_EXACT].least < 400);
}

static void comes_down(void **state)
{
	struct world w = world_of(HEAP_EXACT, false, 0.2);

	(void)state;
	w.rate = 20000;
	for (int k = 0; k < 5; k++)
		run(&w, 0.2);
	assert_int_equal(w.changes, 0);
	/* Somewhat above the limit: after the second time. */
	w.rate = 60000;
	run(&w, 0.2);
	assert_int_equal(w.t.tier, HEAP_EXACT);
	run(&w, 0.2);
	assert_int_equal(w.t.tier, HEAP_SAMPLED);
	/* Far above it: at once. */
	w.rate = 1000000;
	run(&w, 0.2);
	assert_int_equal(w.t.tier, HEAP_NONE);
	/* For good. */
	w.rate = 10;
	for (int k = 0; k < 5; k++)
		run(&w, 0.2);
	assert_int_equal(w.t.tier, HEAP_NONE);
	assert_int_equal(w.changes, 2);
}

static void without_a_limit_nothing_changes(void **state)
{
	struct world w = world_of(HEAP_EXACT, false, 0);

	(void)state;
	w.rate = 1e7;
	for (int k = 0; k < 5; k++)
		run(&w, 0.2);
	assert_int_equal(w.changes, 0);
}

static void ended_processes_are_no_negative_time(void **state)
{
	struct world w = world_of(HEAP_EXACT, false, 0.2);

	(void)state;
	w.rate = 20000;
	run(&w, 0.004);
	w.use.cpu_ns -= 70000000000;
	for (int k = 0; k < 5; k++)
		run(&w, 0.2);
	assert_int_equal(w.changes, 0);
	assert_float_equal(w.t.slowdown[HEAP_EXACT].likely, 0.08, 0.01);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_trial_chooses),
		cmocka_unit_test(samples_mend_the_price),
		cmocka_unit_test(what_is_not_known_has_no_most),
		cmocka_unit_test(comes_down),
		cmocka_unit_test(without_a_limit_nothing_changes),
		cmocka_unit_test(ended_processes_are_no_negative_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
