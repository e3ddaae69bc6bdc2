/* model/check: what contradicts itself is told, and passes the check; what is sound is not. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/check.h"
#include "small_profile.h"
#include "zone_profile.h"

static void sound_profiles_have_none(void **state)
{
	struct profile *profiles[] = {profile_new(), small_profile(), zone_profile()};

	(void)state;
	for (size_t i = 0; i < sizeof(profiles) / sizeof(*profiles); i++) {
		assert_null(contradictions_text(profiles[i]));
		profile_free(profiles[i]);
	}
}

/* After @what the profile is still safe to read, and says @want of itself. */
#define CONTRADICTS(make, what, want)                  \
	do {                                           \
		struct profile *p = make();            \
		char *text;                            \
		what;                                  \
		assert_int_equal(profile_check(p), 0); \
		text = contradictions_text(p);         \
		assert_non_null(text);                 \
		assert_string_equal(text, want);       \
		free(text);                            \
		profile_free(p);                       \
	} while (0)

static struct profile *with_ledger(void)
{
	struct profile *p = small_profile();

	p->ledger.n = 0;
	profile_ledger(p, 0, LEDGER_TAKEN, "taken", 10);
	profile_ledger(p, 0, LEDGER_KEPT, "kept", 8);
	profile_ledger(p, 0, LEDGER_LOST, "ring full", 2);
	profile_ledger(p, 0, LEDGER_NOTE, "stack cut", 1);
	return p;
}

static void finds_in_the_ledger(void **state)
{
	(void)state;
	/* TAKEN read before KEPT, as a checkpoint may have it. */
	CONTRADICTS(with_ledger, p->ledger.at[1].count = 9,
		    "ledger of cpu-clock: 10 taken, but 9 kept + 2 lost");
	CONTRADICTS(with_ledger, (p->ledger.at[1].count = 11, p->ledger.at[2].count = -1),
		    "ledger of cpu-clock: -1 of 'ring full'");
	CONTRADICTS(with_ledger, p->ledger.at[3].count = -2,
		    "ledger of cpu-clock: -2 of 'stack cut'");
	CONTRADICTS(with_ledger, profile_ledger(p, LEDGER_ZONES, LEDGER_KEPT, "kept", 5),
		    "ledger of calls of zones: 0 taken, but 5 kept + 0 lost");
}

static void finds_in_the_run(void **state)
{
	(void)state;
	CONTRADICTS(small_profile, p->duration_ns = -1, "a length of -1 ns");
	CONTRADICTS(small_profile, p->hz = -99, "a rate of -99 Hz");
}

static void finds_in_zones(void **state)
{
	(void)state;
	CONTRADICTS(zone_profile, p->zones.at[0].total_ns = -1, "zones, row 0: total_ns -1");
	CONTRADICTS(zone_profile, p->zones.at[0].std_ns = -0.5, "zones, row 0: std_ns -0.5");
	CONTRADICTS(zone_profile, p->zones.at[0].unwound = 101,
		    "zones, row 0: more untimed calls than calls");
	CONTRADICTS(zone_profile, p->zones.at[0].untimed = p->zones.at[0].unwound = 51,
		    "zones, row 0: more untimed calls than calls");
	CONTRADICTS(zone_profile, p->zone_edges.at[0].counts = 1,
		    "zone_edges, row 0: calls of the root");
	CONTRADICTS(zone_profile, p->zone_edges.at[3].timed++,
		    "zone_edges, row 3: more timed calls than calls");
	CONTRADICTS(zone_profile, p->zone_edges.at[3].self_ns = -5,
		    "zone_edges, row 3: self_ns -5");
	CONTRADICTS(zone_profile, p->zone_threads.at[1].min_ns = -1,
		    "zone_threads, row 1: min_ns -1");
	CONTRADICTS(zone_profile, p->zone_hist.at[0].high_ns = p->zone_hist.at[0].low_ns,
		    "zone_hist, row 0: from 49807360 to 49807360 ns");
	CONTRADICTS(zone_profile, p->zone_values.at[0].value = -1, "zone_values, row 0: value -1");
}

static struct profile *with_many(void)
{
	struct profile *p = with_ledger();

	for (int i = 0; i < 100; i++)
		profile_ledger(p, 0, LEDGER_NOTE, "odd", -1);
	return p;
}

/* However many there are, a few are told, and how many more. */
static void tells_how_many_more(void **state)
{
	(void)state;
	CONTRADICTS(
		with_many, p->hz = -1,
		"ledger of cpu-clock: -1 of 'odd'; ledger of cpu-clock: -1 of 'odd'; ledger of "
		"cpu-clock: -1 of 'odd'; ledger of cpu-clock: -1 of 'odd'; ledger of cpu-clock: -1 "
		"of 'odd'; and 96 more");
}

static void no_more_timed_calls_than_none(void **state)
{
	const struct zone z = {.counts = 5, .untimed = 3, .unwound = 4};

	(void)state;
	assert_int_equal(zone_timed(&z), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sound_profiles_have_none),
		cmocka_unit_test(finds_in_the_ledger),
		cmocka_unit_test(finds_in_the_run),
		cmocka_unit_test(finds_in_zones),
		cmocka_unit_test(tells_how_many_more),
		cmocka_unit_test(no_more_timed_calls_than_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
