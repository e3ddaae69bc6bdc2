/* Zones: sums, deviations, percentiles, compensation, and the checks of their tables. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "model/zone_column.h"
#include "spoils.h"
#include "zone_profile.h"

/* --- histogram -------------------------------------------------------------------------------- */

static void bins_meet(void **state)
{
	(void)state;
	assert_int_equal(hist_bin(0), 0);
	assert_int_equal(hist_bin(63), 63);
	assert_int_equal(hist_bin(64), 64);
	assert_int_equal(hist_bin(127), 127);
	assert_int_equal(hist_bin(128), 128);
	assert_int_equal(hist_bin(129), 128);
	assert_int_equal(hist_bin(130), 129);
	assert_int_equal(hist_bin(255), 191);
	assert_int_equal(hist_bin(256), 192);
	assert_int_equal(hist_bin(INT64_MAX), HIST_BINS - 1);
	assert_int_equal(hist_bin(UINT64_MAX), HIST_BINS - 1);
	assert_int_equal(hist_low(0), 0);
	for (uint32_t bin = 0; bin < HIST_BINS; bin++) {
		uint64_t low = (uint64_t)hist_low(bin), high = (uint64_t)hist_high(bin);

		assert_true(low < high);
		assert_int_equal(hist_bin(low), bin);
		assert_int_equal(hist_bin(high - 1), bin);
		/* 64 a power of two: no wider than a 64th of what it holds. */
		assert_true(high - low == 1 || (high - low) <= low / 64 + (high == INT64_MAX));
	}
	assert_int_equal(hist_high(HIST_BINS - 1), INT64_MAX);
}

static void bin_is_octave_and_slot(void **state)
{
	(void)state;
	for (unsigned octave = 1; octave < HIST_OCTAVES; octave++) {
		uint64_t first = UINT64_C(1) << (octave + HIST_SLOT_BITS - 1);

		assert_int_equal(hist_bin(first), octave * HIST_SLOTS);
		assert_int_equal(hist_bin(2 * first - 1), octave * HIST_SLOTS + HIST_SLOTS - 1);
	}
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Against the values themselves, by nearest rank. */
static void quantiles_are_within_a_bin(void **state)
{
	static const double shares[] = {0, 0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 1};
	enum { N = 5000 };
	static uint64_t values[N];
	static uint64_t counts[HIST_BINS];
	VEC(struct hist_bin) bins = {0};
	uint64_t seed = 7;

	(void)state;
	for (size_t i = 0; i < N; i++) {
		seed = seed * 6364136223846793005 + 1442695040888963407;
		values[i] = (seed >> 33) >> (seed >> 59);
		counts[hist_bin(values[i])]++;
	}
	for (uint32_t bin = 0; bin < HIST_BINS; bin++)
		if (counts[bin])
			vec_push(&bins,
				 ((struct hist_bin){hist_low(bin), hist_high(bin), counts[bin]}));
	qsort(values, N, sizeof(values[0]), by_value);
	for (size_t i = 0; i < sizeof(shares) / sizeof(*shares); i++) {
		size_t rank = (size_t)(shares[i] * N + 0.9999);
		uint64_t right = values[rank ? rank - 1 : 0];
		int64_t got = hist_quantile(bins.at, bins.n, shares[i]);

		assert_int_equal(hist_bin((uint64_t)got), hist_bin(right));
	}
	vec_release(&bins);
}

static void quantiles_of_few(void **state)
{
	const struct hist_bin ten[] = {{1, 2, 9}, {50, 51, 1}}, none[] = {{1, 2, 0}};
	const struct hist_bin last = {hist_low(HIST_BINS - 1), INT64_MAX, 1};

	(void)state;
	assert_int_equal(hist_quantile(NULL, 0, 0.5), 0);
	assert_int_equal(hist_quantile(none, 1, 0.5), 0);
	assert_int_equal(hist_quantile(ten, 2, 0.9), 1);
	assert_int_equal(hist_quantile(ten, 2, 0.91), 50);
	assert_int_equal(hist_quantile(ten, 2, 1), 50);
	assert_int_equal(hist_bin((uint64_t)hist_quantile(&last, 1, 1)), HIST_BINS - 1);
}

/* --- sums ------------------------------------------------------------------------------------- */

/* One call of 10 s: its square does not fit 64 bits. Two of them differ by 2 ns. */
static void squares_pass_64_bits(void **state)
{
	const int64_t a = 10000000000, b = 10000000002;
	const zone_squares squares = zone_square(a) + zone_square(b);

	(void)state;
	assert_true(zone_square(a) > UINT64_MAX);
	assert_true(zone_m2(2, (uint64_t)(a + b), squares) == 2);
	assert_float_equal(zone_std(2, 2), 1.4142135623730951, 1e-12);
	assert_true(zone_m2(1, (uint64_t)a, zone_square(a)) == 0);
	assert_true(zone_m2(0, 0, 0) == 0);
	/* 3 calls of 1, 1, 2 ns: the quotient has a rest. */
	assert_float_equal(zone_m2(3, 4, 6), 2. / 3, 1e-15);
	/* Sums that no values have. */
	assert_true(zone_m2(2, 100, 1) == 0);
	assert_true(zone_std(1, 5) == 0);
}

static void counters_pass_32_bits(void **state)
{
	const uint64_t n = UINT64_C(6) << 32;
	struct zone z = {.counts = n};

	(void)state;
	/* Half of them 100 ns, half 300 ns. */
	zone_set_calls(&z, n, 200 * n, (zone_squares)n * 50000, 100, 300);
	assert_int_equal(z.mean_ns, 200);
	assert_float_equal(z.std_ns, 100, 1e-6);
	assert_int_equal(z.calls_ns, 200 * n);
	zone_set_calls(&z, 2, UINT64_MAX, 0, 0, 0);
	assert_int_equal(z.calls_ns, INT64_MAX);
	zone_set_calls(&z, 0, 0, 0, INT64_MAX, 0);
	assert_int_equal(z.min_ns, 0);
}

static void finishes(void **state)
{
	struct profile *p = zone_profile();
	const struct zone *step = &p->zones.at[Z_STEP], *find = &p->zones.at[Z_FIND];

	(void)state;
	assert_int_equal(profile_check(p), 0);
	assert_float_equal(step->total_perc, 60, 1e-9);
	assert_int_equal(step->mean_ns, 60000000);
	assert_float_equal(step->std_ns, 10050378.1525921, 1e-3);
	assert_in_range(step->p50_ns, 50000000, 50000000 + 50000000 / 64);
	assert_in_range(step->p90_ns, 70000000 - 70000000 / 64, 70000000);
	assert_int_equal(zone_timed(find), 2000);
	assert_int_equal(find->mean_ns, 500000);
	assert_true(find->flags & ZONE_SELF_SPREAD);
	/* Recursion: the outermost in total, all of them in the mean. */
	assert_int_equal(p->zones.at[Z_WALK].total_ns, 400000000);
	assert_int_equal(p->zones.at[Z_WALK].mean_ns, 23333333);
	assert_int_equal(p->zones.at[Z_COPY].counts, ZONE_MANY);
	assert_int_equal(zone_timed(&p->zones.at[Z_COPY]), 0);
	for (size_t i = 1; i < p->zone_hist.n; i++)
		assert_true(p->zone_hist.at[i - 1].zone <= p->zone_hist.at[i].zone);
	/* The busiest thread of a zone comes first. */
	assert_int_equal(p->zone_threads.at[0].thread, 0);
	assert_int_equal(p->zone_threads.at[1].thread, 2);
	profile_free(p);
}

static void adders_add_to_what_is_there(void **state)
{
	struct profile *p = zone_profile();
	size_t edges = p->zone_edges.n, bins = p->zone_hist.n, threads = p->zone_threads.n;
	uint32_t row;

	(void)state;
	assert_int_equal(profile_zone_edge(p, E_EXEC, Z_PREAD), E_PREAD);
	assert_int_equal(p->zone_edges.n, edges);
	/* The tables were sorted since. */
	row = profile_zone_hist(p, Z_STEP, hist_bin(50000000), 1);
	assert_int_equal(p->zone_hist.n, bins);
	assert_int_equal(p->zone_hist.at[row].count, 51);
	row = profile_zone_thread(p, Z_FIND, 1);
	assert_int_equal(p->zone_threads.n, threads);
	assert_int_equal(p->zone_threads.at[row].zone, Z_FIND);
	profile_zone_value(p, Z_FIND, "cycles", 5);
	assert_int_equal(p->zone_values.n, 1);
	assert_int_equal(p->zone_values.at[0].value, 3000000005);
	/* The function is the one that the samples have. */
	assert_string_equal(profile_text(p, p->functions.at[p->zones.at[Z_EXEC].function].name),
			    "sqlite3VdbeExec");
	assert_int_equal(p->functions.at[p->zones.at[Z_WAIT].function].kind, KIND_MARK);
	profile_free(p);
}

/* --- compensation ----------------------------------------------------------------------------- */

static void compensates(void **state)
{
	struct profile *p = zone_profile();
	const struct zone_edge *e = p->zone_edges.at;
	const struct zone *z = p->zones.at;

	(void)state;
	/* 1.2 s less a million times 200 ns. */
	assert_int_equal(e[E_COMPARE].comp_total_ns, 1000000000);
	assert_int_equal(z[Z_COMPARE].comp_mean_ns, 1000);
	assert_int_equal(e[E_PREAD].comp_total_ns, 796400000);
	/* 10 own calls of 500 ns and 20 below of 1 µs. */
	assert_int_equal(e[E_WALK].comp_total_ns, 400000000 - 5000 - 20000);
	assert_int_equal(e[E_WALK2].comp_total_ns, 300000000 - 10000);
	assert_int_equal(z[Z_WALK].comp_total_ns, 399975000);
	assert_int_equal(z[Z_WALK].comp_mean_ns, (399975000 + 299990000) / 30);
	assert_int_equal(e[E_EXEC].comp_total_ns, 5092720000);
	assert_int_equal(e[E_EXEC].comp_self_ns, 2896345000);
	/* A total is its self and the totals right below. */
	assert_int_equal(e[E_EXEC].comp_total_ns,
			 e[E_EXEC].comp_self_ns + e[E_COMPARE].comp_total_ns +
				 e[E_PREAD].comp_total_ns + e[E_WALK].comp_total_ns);
	assert_int_equal(e[E_STEP].comp_total_ns, e[E_STEP].comp_self_ns + e[E_EXEC].comp_total_ns);
	assert_int_equal(e[E_COPY].comp_total_ns, 0);
	assert_int_equal(z[Z_WAIT].comp_total_ns, z[Z_WAIT].total_ns);
	profile_free(p);
}

static void marks_short_zones(void **state)
{
	struct profile *p = zone_profile();

	(void)state;
	for (uint32_t i = 0; i < Z_COUNT; i++) {
		assert_true(p->zones.at[i].flags & ZONE_COMPENSATED);
		assert_int_equal(!!(p->zones.at[i].flags & ZONE_SHORT), i == Z_COMPARE);
	}
	zones_compensate(p, NULL);
	assert_false(p->zones.at[Z_COMPARE].flags & ZONE_SHORT);
	for (uint32_t i = 0; i < Z_COUNT; i++)
		assert_int_equal(p->zones.at[i].comp_total_ns, p->zones.at[i].total_ns);
	assert_int_equal(p->zones.at[Z_WALK].comp_mean_ns, 23333333);
	profile_free(p);
}

/* What other actions' probes took is taken off where they were hit and off all callers' totals; of
 * calls that were not timed, off the callers' alone. */
static void compensates_other_actions(void **state)
{
	const struct zone_costs free_of_cost[Z_COUNT] = {0};
	struct profile *p = zone_profile();
	struct zone_edge *e = p->zone_edges.at;

	(void)state;
	e[E_PREAD].beside_ns = e[E_PREAD].beside_timed_ns = 300000000;
	e[E_PREAD].beside_off_ns = 30000000;
	e[E_WALK].beside_ns = 1000;
	e[E_WALK].beside_timed_ns = 400;
	zones_compensate(p, free_of_cost);
	assert_int_equal(e[E_PREAD].comp_total_ns, 500000000);
	assert_int_equal(e[E_PREAD].comp_self_ns, 500000000);
	assert_int_equal(e[E_PREAD].total_margin_ns, 30000000);
	assert_int_equal(e[E_WALK].comp_total_ns, 400000000 - 400);
	assert_int_equal(e[E_WALK2].comp_total_ns, 300000000);
	assert_int_equal(e[E_EXEC].comp_total_ns, 5500000000 - 300001000);
	assert_int_equal(e[E_EXEC].comp_self_ns, 3100000000 - 600);
	assert_int_equal(e[E_STEP].comp_total_ns, 6000000000 - 300001000);
	assert_int_equal(e[E_STEP].comp_self_ns, 500000000);
	/* It is no cost of the zones' own probes. */
	assert_int_equal(p->zones.at[Z_PREAD].probe_ns, 0);
	profile_free(p);
}

static void never_compensates_below_zero(void **state)
{
	struct profile *p = zone_profile();
	struct zone_costs costs[Z_COUNT];

	(void)state;
	for (size_t i = 0; i < Z_COUNT; i++)
		costs[i] = zone_alike(1e12, 2e12);
	zones_compensate(p, costs);
	for (size_t i = 0; i < p->zone_edges.n; i++) {
		assert_int_equal(p->zone_edges.at[i].comp_total_ns, 0);
		assert_int_equal(p->zone_edges.at[i].comp_self_ns, 0);
	}
	assert_int_equal(profile_check(p), 0);
	profile_free(p);
}

/* Calls that were not timed hold their part of the probes below them. */
static void untimed_calls_take_their_share(void **state)
{
	const struct zone_costs costs[] = {zone_alike(100, 100), zone_alike(10, 50)};
	struct profile *p = profile_new();
	struct zone z = {.counts = 4, .unwound = 2};
	uint32_t outer = profile_zone(p, &z), inner, at;

	(void)state;
	z = (struct zone){.counts = 8};
	inner = profile_zone(p, &z);
	at = zone_place(p, 0, outer, 4, 2, 10000, 8000);
	zone_place(p, at, inner, 8, 8, 2000, 2000);
	zones_compensate(p, costs);
	assert_int_equal(p->zone_edges.at[at].comp_total_ns, 10000 - 2 * 100 - 8 * 50 / 2);
	assert_int_equal(p->zone_edges.at[at].comp_self_ns, 8000 - 2 * 100 - 8 * 40 / 2);
	assert_true(zones_probe_ns(p) == 4 * 100 + 8 * 50);
	profile_free(p);
}

/* Calls that a session timed, that a probe at an exit did, stepped or not, and hits of such a probe
 * by the former. */
static void bills_each_call_by_what_timed_it(void **state)
{
	const struct zone_costs costs[] = {
		{.session = {0}},
		{.session = {10, 30, 1, 2, 0, 0},
		 .count = {.outer_ns = 20, .outer_off_ns = 1},
		 .exit = {{15, 100, 3, 4, 0, 0}, {15, 1000, 5, 50, 0, 0}},
		 .passed = {{.outer_ns = 80}, {.outer_ns = 900, .outer_off_ns = 90}}},
	};
	struct profile *p = profile_new();
	struct zone z = {.counts = 1};
	uint32_t outer = profile_zone(p, &z), inner, at, below;
	const int64_t all = 3 * 30 + 2 * 20 + 4 * 100 + 5 * 1000 + 1 * 900;
	const int64_t own = 3 * 10 + 4 * 15 + 5 * 15 + 1 * 900;

	(void)state;
	z = (struct zone){.counts = 14, .untimed = 2, .rets = 9};
	inner = profile_zone(p, &z);
	at = zone_place(p, 0, outer, 1, 1, 100000, 40000);
	below = zone_place(p, at, inner, 14, 12, 60000, 60000);
	p->zone_edges.at[below].exits[0] = 4;
	p->zone_edges.at[below].exits[1] = 5;
	p->zone_edges.at[below].passed[1] = 1;
	zones_compensate(p, costs);
	assert_int_equal(p->zone_edges.at[below].comp_total_ns, 60000 - own);
	assert_int_equal(p->zone_edges.at[at].comp_total_ns, 100000 - all);
	assert_int_equal(p->zone_edges.at[at].comp_self_ns, 40000 - (all - own));
	assert_int_equal(p->zones.at[inner].probe_ns, all);
	assert_true(zones_probe_ns(p) == (double)all);
	/* Margins add up. */
	assert_int_equal(p->zones.at[inner].total_margin_ns, 3 * 1 + 4 * 3 + 5 * 5 + 90);
	assert_int_equal(p->zones.at[inner].mean_margin_ns, (3 + 12 + 25 + 90 + 11) / 12);
	assert_int_equal(p->zones.at[outer].total_margin_ns,
			 3 * 2 + 2 + 4 * 4 + 5 * 50 + 90 + 40000 / 50);
	profile_free(p);
}

/* CPU time loses what the probes added to it, in the call itself and below. */
static void takes_probes_off_clocks(void **state)
{
	const struct zone_costs costs[] = {{.session = {10, 30, 1, 2, 18, 5}},
					   {.session = {10, 30, 1, 2, 20, 0}}};
	struct profile *p = profile_new();
	struct zone z = {
		.counts = 2, .total_ns = 1000, .cpu_ns = 900, .user_ns = 700, .sys_ns = 200};
	uint32_t outer = profile_zone(p, &z), inner, at;

	(void)state;
	z = (struct zone){.counts = 4, .total_ns = 60, .cpu_ns = 110, .sys_ns = 100};
	inner = profile_zone(p, &z);
	at = zone_place(p, 0, outer, 2, 2, 1000, 800);
	zone_place(p, at, inner, 4, 4, 60, 60);
	zones_compensate(p, costs);
	assert_int_equal(p->zones.at[outer].cpu_ns, 900 - 2 * 18 - 4 * 30);
	assert_int_equal(p->zones.at[outer].sys_ns, 200 - 2 * 5);
	assert_int_equal(p->zones.at[outer].user_ns, 744 - 190);
	/* 30 would be left, 20 are of the total. */
	assert_int_equal(p->zones.at[inner].comp_total_ns, 20);
	assert_int_equal(p->zones.at[inner].cpu_ns, 20);
	assert_int_equal(p->zones.at[inner].sys_ns, 20);
	assert_int_equal(p->zones.at[inner].user_ns, 0);
	profile_free(p);
}

/* A chain as deep as a runaway recursion; no walk may recurse. */
static void compensates_deep_recursion(void **state)
{
	enum { DEPTH = 200000 };
	const struct zone_costs cost = zone_alike(1, 2);
	struct profile *p = profile_new();
	struct zone z = {.counts = DEPTH};
	uint32_t zone = profile_zone(p, &z), at = 0;

	(void)state;
	for (int64_t i = 0; i < DEPTH; i++)
		at = zone_place(p, at, zone, 1, 1, 10 * (DEPTH - i), 10);
	zones_compensate(p, &cost);
	assert_int_equal(p->zones.at[zone].comp_total_ns, 10 * DEPTH - 1 - 2 * (DEPTH - 1));
	/* Of each place's 10 ns: 1 of its own, 1 that the call below left there. */
	assert_int_equal(p->zones.at[zone].comp_self_ns, 8 * DEPTH + 1);
	profile_free(p);
}

/* --- columns ---------------------------------------------------------------------------------- */

static void columns_by_name(void **state)
{
	static const char *const tracy[] = {"name",	  "src_file", "src_line", "total_ns",
					    "total_perc", "counts",   "mean_ns",  "min_ns",
					    "max_ns",	  "std_ns"};

	(void)state;
	for (size_t i = 0; i < sizeof(tracy) / sizeof(*tracy); i++)
		assert_string_equal(zone_columns[i].name, tracy[i]);
	assert_string_equal(zone_column_find("total")->name, "total_ns");
	assert_string_equal(zone_column_find("p999")->name, "p999_ns");
	assert_string_equal(zone_column_find("count")->name, "counts");
	assert_string_equal(zone_column_find("comp_mean_ns")->name, "comp_mean_ns");
	assert_null(zone_column_find("tot"));
	assert_null(zone_column_find(""));
}

static void columns_print_exactly(void **state)
{
	struct profile *p = zone_profile();
	struct zone *z = &p->zones.at[Z_COPY];
	char *text;

	(void)state;
	z->counts = UINT64_C(9007199254740993); /* no double */
	text = zone_column_print(zone_column_find("counts"), p, z);
	assert_string_equal(text, "9007199254740993");
	assert_true(zone_column_number(zone_column_find("counts"), z) == 9007199254740993.0L);
	free(text);
	text = zone_column_print(zone_column_find("site"), p, z);
	assert_string_equal(text, "emulated");
	free(text);
	assert_string_equal(zone_column_text(zone_column_find("module"), p, z),
			    "/usr/lib/libc.so.6");
	z->minflt = 40;
	z->majflt = 2;
	text = zone_column_print(zone_column_find("faults"), p, z);
	assert_string_equal(text, "42");
	free(text);
	z->majflt = UINT64_MAX; /* as no file may have it */
	assert_true(zone_column_number(zone_column_find("faults"), z) == (long double)INT64_MAX);
	assert_string_equal(exit_way_name(99), "");
	profile_free(p);
}

/* --- checks ----------------------------------------------------------------------------------- */

#define SPOILS(what, text) SPOILS_OF(zone_profile(), what, text)

static void checks_zones(void **state)
{
	(void)state;
	SPOILS(p->zones.at[2].name = 9999, "zones, row 2: name 9999 is out of range");
	SPOILS(p->zones.at[2].note = 9999, "zones, row 2: note 9999 is out of range");
	SPOILS(p->zones.at[1].module = 99, "zones, row 1: module 99 is out of range");
	SPOILS(p->zones.at[1].function = 999, "zones, row 1: function 999 is out of range");
	SPOILS(p->zones.at[1].flags = 32, "zones, row 1: flags 32 is out of range");
	SPOILS(p->zones.at[1].site_class = SITE_CLASSES,
	       "zones, row 1: site_class 5 is out of range");
	SPOILS(p->zones.at[0].total_ns = INT64_MIN,
	       "zones, row 0: the sum of total_ns does not fit");
	SPOILS(p->zones.at[0].std_ns = INFINITY, "zones, row 0: std_ns is no finite number");
	SPOILS(p->zones.at[0].minflt = UINT64_MAX, "zones, row 0: the sum of minflt does not fit");
	SPOILS(p->zones.at[3].counts = INT64_MAX, "zones, row 3: the sum of counts does not fit");
}

static void checks_edges(void **state)
{
	(void)state;
	SPOILS(p->zone_edges.n = 0, "zone_edges: the table is empty");
	SPOILS(p->zone_edges.at[0].zone = 0, "zone_edges, row 0: must be the root");
	SPOILS(p->zone_edges.at[3].parent = 3, "zone_edges, row 3: parent 3 is out of range");
	SPOILS(p->zone_edges.at[3].zone = ZONE_NONE,
	       "zone_edges, row 3: zone 4294967295 is out of range");
	SPOILS(p->zone_edges.at[3].timed = 1ull << 63,
	       "zone_edges, row 3: the sum of timed does not fit");
	SPOILS(p->zone_edges.at[3].total_ns = INT64_MIN,
	       "zone_edges, row 3: the sum of total_ns does not fit");
	SPOILS(p->zone_edges.at[3].self_ns = INT64_MAX,
	       "zone_edges, row 3: the sum of self_ns does not fit");
}

static void checks_the_rest(void **state)
{
	(void)state;
	SPOILS(p->zone_threads.at[1].thread = 3, "zone_threads, row 1: thread 3 is out of range");
	SPOILS(p->zone_threads.at[1].zone = 8, "zone_threads, row 1: zone 8 is out of range");
	SPOILS(p->zone_threads.at[1].min_ns = INT64_MIN,
	       "zone_threads, row 1: min_ns 9223372036854775808 is out of range");
	SPOILS(p->zone_hist.at[0].low_ns = -1,
	       "zone_hist, row 0: low_ns 18446744073709551615 is out of range");
	SPOILS(p->zone_hist.at[0].count = INT64_MAX,
	       "zone_hist, row 1: the sum of count does not fit");
	SPOILS(p->zone_hist.at[2].zone = 8, "zone_hist, row 2: zone 8 is out of range");
	SPOILS(p->zone_values.at[0].value = INT64_MIN,
	       "zone_values, row 0: the sum of value does not fit");
	SPOILS(p->zone_values.at[0].zone = 8, "zone_values, row 0: zone 8 is out of range");
	SPOILS(p->samples.at[7].zone = 10, "samples, row 7: zone 10 is out of range");
	SPOILS(p->ledger.at[0].metric = LEDGER_BESIDE - 1,
	       "ledger, row 0: metric 4294967292 is out of range");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bins_meet),
		cmocka_unit_test(bin_is_octave_and_slot),
		cmocka_unit_test(quantiles_are_within_a_bin),
		cmocka_unit_test(quantiles_of_few),
		cmocka_unit_test(squares_pass_64_bits),
		cmocka_unit_test(counters_pass_32_bits),
		cmocka_unit_test(finishes),
		cmocka_unit_test(adders_add_to_what_is_there),
		cmocka_unit_test(compensates),
		cmocka_unit_test(marks_short_zones),
		cmocka_unit_test(compensates_other_actions),
		cmocka_unit_test(never_compensates_below_zero),
		cmocka_unit_test(untimed_calls_take_their_share),
		cmocka_unit_test(bills_each_call_by_what_timed_it),
		cmocka_unit_test(takes_probes_off_clocks),
		cmocka_unit_test(compensates_deep_recursion),
		cmocka_unit_test(columns_by_name),
		cmocka_unit_test(columns_print_exactly),
		cmocka_unit_test(checks_zones),
		cmocka_unit_test(checks_edges),
		cmocka_unit_test(checks_the_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
