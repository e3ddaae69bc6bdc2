/* What the probes of zones slow a target down by, and which of them are let go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "probe/governor.h"

#define S  1000000000ull
#define MS 1000000ull

/* A target that has all of a CPU, in ticks of 0.2 s. What it does is said as calls in a second of
 * its own time, and it gets the slower the more its probes take. */
struct world {
	struct governor g;
	struct governed zones[3];
	double calls[3]; /* in a second of its own */
	uint64_t now_ns, cpu_ns;
	double slowdown; /* as it truly is */
	int changes;
};

static void open_world(struct world *w, double limit)
{
	*w = (struct world){.g = governor_of(limit), .now_ns = 7 * S, .cpu_ns = 3 * S};
	for (int i = 0; i < 3; i++) {
		w->zones[i].full_ns = 10000;
		w->zones[i].count_ns = 500;
		governor_begin(&w->g, &w->zones[i]);
	}
	assert_false(governor_tick(&w->g, w->now_ns, w->cpu_ns, w->zones, 3));
}

static double cost_of(const struct governed *z)
{
	return z->mode == PROBE_MODE_TIMED     ? z->full_ns
	       : z->mode == PROBE_MODE_COUNTED ? z->count_ns
					       : 0;
}

static bool tick(struct world *w)
{
	enum probe_mode before[3];
	bool judged;

	w->slowdown = 0;
	for (int i = 0; i < 3; i++) {
		before[i] = w->zones[i].mode;
		w->slowdown += w->calls[i] * cost_of(&w->zones[i]) / 1e9;
	}
	for (int i = 0; i < 3; i++) {
		uint64_t n = (uint64_t)(w->calls[i] * 0.2 / (1 + w->slowdown));

		if (before[i] == PROBE_MODE_TIMED)
			w->zones[i].timed += n;
		if (before[i] == PROBE_MODE_COUNTED)
			w->zones[i].counted += n;
	}
	w->now_ns += 200 * MS;
	w->cpu_ns += 200 * MS;
	judged = governor_tick(&w->g, w->now_ns, w->cpu_ns, w->zones, 3);
	for (int i = 0; i < 3; i++)
		w->changes += w->zones[i].mode != before[i];
	return judged;
}

static void ticks(struct world *w, int n)
{
	for (int i = 0; i < n; i++)
		(void)tick(w);
}

/* The true slowdown as the governor has it, to a hundredth of it. */
static void assert_slowdown(const struct world *w, double wanted)
{
	assert_true(w->g.slowdown > 0.99 * wanted && w->g.slowdown < 1.01 * wanted);
}

static void tells_the_slowdown(void **state)
{
	struct world w;

	(void)state;
	open_world(&w, 0);
	assert_true(w.g.slowdown < 0);
	/* 20,000 calls of 10 µs: 0.2 s on top of each second. */
	w.calls[1] = 20000;
	assert_true(tick(&w));
	assert_slowdown(&w, 0.2);
	/* 20 times as long. */
	w.calls[1] = 1900000;
	ticks(&w, 1);
	assert_slowdown(&w, 19);
	/* So many times as long that the target's own time is within the error of the probes'. */
	w.calls[1] = 10000000;
	ticks(&w, 1);
	assert_true(w.g.slowdown > 45);
	assert_int_equal(w.zones[1].mode, PROBE_MODE_TIMED);
	assert_int_equal(w.changes, 0);
}

static void leaves_room_for_samples(void **state)
{
	struct world w;

	(void)state;
	open_world(&w, 0.1);
	/* Counting takes 5 %; samples take 8 % of the target's own time besides. */
	w.calls[1] = 100000;
	w.g.beside_ns = 0.08 * 200 * MS / 1.13;
	assert_true(tick(&w));
	assert_true(w.g.slowdown > 0.12 && w.g.slowdown < 0.14);
	assert_true(w.g.room > 0.019 && w.g.room < 0.021);
	w.g.beside_ns += 0.08 * 200 * MS / 1.13;
	assert_true(tick(&w));
	assert_int_equal(w.zones[1].mode, PROBE_MODE_DETACHED);
}

static void foretells_what_timing_costs(void **state)
{
	struct world w;

	(void)state;
	open_world(&w, 0.1);
	for (int i = 0; i < 3; i++)
		assert_int_equal(w.zones[i].mode, PROBE_MODE_COUNTED);
	w.calls[0] = 100000;
	ticks(&w, 1);
	assert_slowdown(&w, 0.05);
	assert_true(w.g.would_be > 0.99 && w.g.would_be < 1.01);
	/* The others are never called: they may be timed. */
	assert_int_equal(w.zones[0].mode, PROBE_MODE_COUNTED);
	assert_int_equal(w.zones[1].mode, PROBE_MODE_TIMED);
	assert_int_equal(w.zones[0].falls, 0);
}

static void waits_until_it_has_seen_enough(void **state)
{
	struct world w;

	(void)state;
	open_world(&w, 0.1);
	w.zones[0].counted = 5;
	assert_false(governor_tick(&w.g, w.now_ns + 200 * MS, w.cpu_ns + 5 * MS, w.zones, 3));
	assert_int_equal(w.zones[1].mode, PROBE_MODE_COUNTED);
	assert_true(governor_tick(&w.g, w.now_ns + 400 * MS, w.cpu_ns + 25 * MS, w.zones, 3));
	assert_int_equal(w.zones[1].mode, PROBE_MODE_TIMED);

	/* One that sleeps: after two seconds. */
	open_world(&w, 0.1);
	assert_false(governor_tick(&w.g, w.now_ns + S, w.cpu_ns, w.zones, 3));
	assert_true(governor_tick(&w.g, w.now_ns + 2 * S, w.cpu_ns, w.zones, 3));
	assert_int_equal(w.zones[0].mode, PROBE_MODE_TIMED);

	/* Of a target whose time nobody tells nothing is known. */
	open_world(&w, 0.1);
	w.zones[0].counted = 500000;
	assert_false(governor_tick(&w.g, w.now_ns + 2 * S, w.cpu_ns, w.zones, 3));
	assert_true(w.g.slowdown < 0);
}

static void times_what_the_limit_allows(void **state)
{
	struct world w;

	(void)state;
	open_world(&w, 0.1);
	w.calls[0] = 1000;  /* 1 % */
	w.calls[1] = 3000;  /* 3 % */
	w.calls[2] = 50000; /* 50 %, 2.5 % where they are counted */
	ticks(&w, 2);
	assert_int_equal(w.zones[0].mode, PROBE_MODE_TIMED);
	assert_int_equal(w.zones[2].mode, PROBE_MODE_COUNTED);
	ticks(&w, 100);
	assert_true(w.slowdown < 0.1);
	assert_int_equal(w.zones[2].mode, PROBE_MODE_COUNTED);
}

static void catches_a_burst(void **state)
{
	struct world w;

	(void)state;
	open_world(&w, 0.1);
	w.calls[0] = w.calls[1] = 1000;
	ticks(&w, 5);
	assert_int_equal(w.zones[0].mode, PROBE_MODE_TIMED);
	assert_int_equal(w.zones[1].mode, PROBE_MODE_TIMED);
	w.calls[0] = 100000;
	ticks(&w, 1);
	assert_int_equal(w.zones[0].mode, PROBE_MODE_COUNTED);
	assert_int_equal(w.zones[1].mode, PROBE_MODE_TIMED);
	ticks(&w, 1);
	assert_true(w.slowdown < 0.1);
	assert_int_equal(w.zones[0].counted_from_ns, w.now_ns - 200 * MS);

	/* It is over: timed again, but not at once. */
	w.calls[0] = 1000;
	ticks(&w, 5);
	assert_int_equal(w.zones[0].mode, PROBE_MODE_COUNTED);
	ticks(&w, 20);
	assert_int_equal(w.zones[0].mode, PROBE_MODE_TIMED);
}

static void does_not_flap(void **state)
{
	struct world w;

	(void)state;
	open_world(&w, 0.1);
	for (int i = 0; i < 200; i++) {
		w.calls[0] = i % 15 ? 1000 : 100000; /* a burst each 3 s, for 10 min */
		ticks(&w, 15);
	}
	assert_true(w.changes < 40);
	/* At the limit itself nothing changes at all. */
	open_world(&w, 0.1);
	w.calls[0] = 4000;
	ticks(&w, 2);
	w.changes = 0;
	for (int i = 0; i < 500; i++) {
		w.calls[0] = i % 2 ? 6000 : 9500;
		ticks(&w, 1);
	}
	assert_int_equal(w.changes, 0);
}

static void detaches_what_is_too_dear_to_count(void **state)
{
	struct world w;

	(void)state;
	open_world(&w, 0.1);
	w.calls[0] = 300000; /* 15 % where they are counted */
	w.calls[1] = 60000;  /* 3 % */
	ticks(&w, 1);
	assert_int_equal(w.zones[0].mode, PROBE_MODE_COUNTED);
	ticks(&w, 1);
	assert_int_equal(w.zones[0].mode, PROBE_MODE_DETACHED);
	assert_int_equal(w.zones[1].mode, PROBE_MODE_COUNTED);
	assert_int_equal(w.zones[0].detached_ns, w.now_ns);
	assert_int_equal(w.zones[0].detached_calls, w.zones[0].counted);
	ticks(&w, 1);
	assert_true(w.slowdown < 0.1);
	w.calls[0] = 0;
	ticks(&w, 1000);
	assert_int_equal(w.zones[0].mode, PROBE_MODE_DETACHED);

	/* Far too much: within two judgements of a burst it is over. */
	open_world(&w, 0.1);
	w.calls[0] = w.calls[1] = 1000;
	ticks(&w, 5);
	w.calls[0] = 3000000;
	ticks(&w, 2);
	assert_int_equal(w.zones[0].mode, PROBE_MODE_DETACHED);
	assert_int_equal(w.zones[1].mode, PROBE_MODE_TIMED);
}

static void loses_no_time_where_processes_end(void **state)
{
	struct governor g = governor_of(0);
	struct governed z = {.full_ns = 1000};

	(void)state;
	assert_false(governor_tick(&g, S, 10 * S, &z, 1));
	z.timed = 10000;
	assert_false(governor_tick(&g, S + 200 * MS, 2 * S, &z, 1));
	assert_true(governor_tick(&g, S + 400 * MS, 2 * S + 110 * MS, &z, 1));
	assert_true(g.slowdown > 0.099 && g.slowdown < 0.101);
	assert_true(g.calls_a_second > 24999 && g.calls_a_second < 25001);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tells_the_slowdown),
		cmocka_unit_test(leaves_room_for_samples),
		cmocka_unit_test(foretells_what_timing_costs),
		cmocka_unit_test(waits_until_it_has_seen_enough),
		cmocka_unit_test(times_what_the_limit_allows),
		cmocka_unit_test(catches_a_burst),
		cmocka_unit_test(does_not_flap),
		cmocka_unit_test(detaches_what_is_too_dear_to_count),
		cmocka_unit_test(loses_no_time_where_processes_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
