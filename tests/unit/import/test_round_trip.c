/*
 * Round trips: a profile, exported and imported again, has lost nothing that the format can hold.
 * For each format that goes both ways and each golden profile: every stack, value, thread, metric.
 *
 * A format's row says what it holds. pprof holds all of it but times; folded names, threads and one
 * metric; callgrind functions, lines and calls, but no stacks; Tracy's CSV zones.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "account.h"
#include "base/str.h"
#include "export/export.h"
#include "golden.h"
#include "query/tree.h"
#include "zone_profile.h"

/* --- there and back --------------------------------------------------------------------------- */

struct bytes {
	char *at;
	size_t n;
};

static struct bytes exported(const char *format, const struct profile *p)
{
	const struct selection selection = {0};
	struct tree *t = NULL;
	struct bytes b = {0};
	FILE *out = open_memstream(&b.at, &b.n);

	assert_int_equal(tree_build(p, &selection, &t), 0);
	assert_int_equal(export_find(format)->write(&(struct export_input){.profile = p,
									   .part = p,
									   .selection = &selection,
									   .tree = t,
									   .values = true},
						    out),
			 0);
	fclose(out);
	tree_free(t);
	return b;
}

static struct profile *there_and_back(const char *format, const struct profile *p)
{
	struct bytes b = exported(format, p);
	struct profile *back = imported_bytes(format, b.at, b.n);

	free(b.at);
	return back;
}

static const struct {
	struct profile *(*make)(void);
	bool recursive;
} golden[] = {
	{sample_profile, true}, {small_profile, true},	 {small_waits, true}, {hostile, false},
	{recursion, true},	{samples_metric, false}, {unnamed, true},     {diamond, false},
};

/* What a format holds of samples. */
static const struct {
	const char *format;
	take_sample take;
	unsigned holds;
	/* Of calls: profiles without recursion alone. What a function has below is shared among its
	 * callers, which rounds. */
	bool calls;
} formats[] = {
	{"pprof", take_stack,
	 HOLDS_IDS | HOLDS_PLACES | HOLDS_BUILDS | HOLDS_KINDS | HOLDS_REASONS | HOLDS_SEMICOLONS |
		 HOLDS_METRICS | HOLDS_INLINES,
	 false},
	{"folded", take_stack, HOLDS_INLINES | HOLDS_COLOURS, false},
	{"callgrind", take_line, HOLDS_PLACES | HOLDS_KINDS | HOLDS_SEMICOLONS | HOLDS_METRICS,
	 false},
	{"callgrind", take_functions, HOLDS_SEMICOLONS | HOLDS_METRICS, true},
	{"callgrind", take_pairs, HOLDS_SEMICOLONS | HOLDS_METRICS, true},
};

static void assert_nothing_lost(size_t f, size_t g)
{
	struct profile *p = golden[g].make();
	struct profile *back = there_and_back(formats[f].format, p);
	struct account a = account_of(p, p, formats[f].take, formats[f].holds);
	struct account b = account_of(p, back, formats[f].take, formats[f].holds);

	assert_same(&a, &b, formats[f].calls ? 2 : 0, formats[f].format, g);
	account_release(&a);
	account_release(&b);
	profile_free(back);
	profile_free(p);
}

static void nothing_is_lost(void **state)
{
	(void)state;
	for (size_t f = 0; f < sizeof(formats) / sizeof(*formats); f++)
		for (size_t g = 0; g < sizeof(golden) / sizeof(*golden); g++)
			if (!formats[f].calls || !golden[g].recursive)
				assert_nothing_lost(f, g);
}

static bool has_thread(const struct profile *p, const char *name)
{
	for (size_t i = 0; i < p->threads.n; i++)
		if (!strcmp(profile_text(p, p->threads.at[i].name), name))
			return true;
	return false;
}

/* To callgrind a thread is a function that calls what the thread runs. */
static void threads_of_callgrind_come_back(void **state)
{
	struct profile *p = hostile(), *back = there_and_back("callgrind", p);

	(void)state;
	for (size_t i = 0; i < p->threads.n; i++) {
		const char *name = profile_text(p, p->threads.at[i].name);
		_free_ char *clean = str_clean(name, strlen(name));

		if (!has_thread(back, clean))
			fail_msg("no thread '%s' came back", clean);
	}
	/* And that of costs which no thread called. */
	assert_int_equal(back->threads.n, p->threads.n + 1);
	profile_free(back);
	profile_free(p);
}

/* What came back once comes back the same: nothing wears off. (Of callgrind calls below several
 * callers are shared among these anew, which rounds.) */
static void a_second_trip_changes_nothing(void **state)
{
	static const char *const names[] = {"pprof", "folded"};

	(void)state;
	for (size_t f = 0; f < sizeof(names) / sizeof(*names); f++) {
		for (size_t g = 0; g < sizeof(golden) / sizeof(*golden); g++) {
			struct profile *p = golden[g].make();
			struct profile *once = there_and_back(names[f], p);
			struct profile *twice = there_and_back(names[f], once);
			struct bytes a = exported(names[f], once), b = exported(names[f], twice);

			if (a.n != b.n || memcmp(a.at, b.at, a.n))
				fail_msg("%s, profile %zu: the second trip differs", names[f], g);
			free(a.at);
			free(b.at);
			profile_free(twice);
			profile_free(once);
			profile_free(p);
		}
	}
}

/* --- zones ------------------------------------------------------------------------------------ */

static struct profile *hostile_zones(void)
{
	static const char *const names[] = {"map<int, std::string>::find",
					    "say \"hi\"",
					    "größe",
					    "a;b",
					    "<script>",
					    "x,",
					    "\"",
					    ",",
					    "1,2,3,4,5,6,7,8"};
	struct profile *p = profile_new();
	_free_ char *longest = long_name();
	int64_t n = 1;

	profile_add_part(p, PART_ZONES);
	p->duration_ns = 1000000000;
	for (size_t i = 0; i <= sizeof(names) / sizeof(*names); i++, n++) {
		const char *name = i < sizeof(names) / sizeof(*names) ? names[i] : longest;

		profile_zone(p, &(struct zone){.name = intern_add(&p->strings, name),
					       .src_file = intern_add(&p->strings, name),
					       .src_line = (uint32_t)n,
					       .counts = (uint64_t)n,
					       .total_ns = n * 1000003,
					       .calls_ns = n * 1000003,
					       .mean_ns = 1000003,
					       .min_ns = 1000000 - n,
					       .max_ns = 1000010 + n,
					       .std_ns = (double)n / 8});
	}
	return p;
}

static struct bytes zones_exported(const struct profile *p)
{
	const struct selection selection = {0};
	struct zone_rows rows;
	struct bytes b = {0};
	FILE *out = open_memstream(&b.at, &b.n);

	assert_int_equal(zone_rows_build(p, &selection, &rows), 0);
	assert_int_equal(export_find("tracy-csv")
				 ->write(&(struct export_input){.profile = p,
								.selection = &selection,
								.zone_rows = &rows},
					 out),
			 0);
	fclose(out);
	zone_rows_release(&rows);
	return b;
}

static void assert_same_zone(const struct profile *p, const struct zone *z,
			     const struct profile *back)
{
	for (size_t i = 0; i < back->zones.n; i++) {
		const struct zone *y = &back->zones.at[i];

		if (strcmp(profile_text(p, z->name), profile_text(back, y->name)) ||
		    z->src_line != y->src_line)
			continue;
		assert_string_equal(profile_text(back, y->src_file), profile_text(p, z->src_file));
		assert_int_equal(y->total_ns, z->total_ns);
		assert_int_equal(y->counts, z->counts);
		assert_int_equal(y->mean_ns, z->mean_ns);
		assert_int_equal(y->min_ns, z->min_ns);
		assert_int_equal(y->max_ns, z->max_ns);
		assert_true(y->std_ns > z->std_ns - 1e-6 && y->std_ns < z->std_ns + 1e-6);
		return;
	}
	fail_msg("no zone '%s' came back", profile_text(p, z->name));
}

static void zones_come_back(void **state)
{
	static struct profile *(*const profiles[])(void) = {zone_profile, zones_only_profile,
							    hostile_zones};

	(void)state;
	for (size_t i = 0; i < sizeof(profiles) / sizeof(*profiles); i++) {
		struct profile *p = profiles[i](), *back;
		struct bytes a = zones_exported(p), b;
		size_t n = 0;

		back = imported_bytes("tracy-csv", a.at, a.n);
		b = zones_exported(back);
		for (size_t z = 0; z < p->zones.n; z++) {
			if (!p->zones.at[z].total_ns)
				continue;
			assert_same_zone(p, &p->zones.at[z], back);
			n++;
		}
		assert_int_equal(back->zones.n, n);
		assert_int_equal(b.n, a.n);
		assert_memory_equal(b.at, a.at, a.n);
		free(a.at);
		free(b.at);
		profile_free(back);
		profile_free(p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_lost),
		cmocka_unit_test(threads_of_callgrind_come_back),
		cmocka_unit_test(a_second_trip_changes_nothing),
		cmocka_unit_test(zones_come_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
