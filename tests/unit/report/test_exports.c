/*
 * The excerpt of a profile that exports read, and what they write of names, of recursion and of
 * waits. What real programs make of them is in tests/cli/export.test, of profiles that this one
 * writes:
 *
 *	test_exports FOLDER			hostile.h5, waits.h5
 *	test_exports FILE STACKS SAMPLES	one of that size (big_profile.h)
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <errno.h>

#include "base/str.h"
#include "big_profile.h"
#include "export/edges.h"
#include "export/export.h"
#include "export/lanes.h"
#include "export/sums.h"
#include "metric_sum.h"
#include "query/excerpt.h"
#include "sample_profile.h"
#include "small_profile.h"
#include "store/store.h"
#include "zone_profile.h"

/* What the export @name writes of all of @p; owned by the caller. */
static char *text_of(const char *name, const struct profile *p)
{
	const struct selection selection = {0};
	const struct export_input in = {.profile = p, .selection = &selection, .part = p};
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	assert_int_equal(export_find(name)->write(&in, out), 0);
	fclose(out);
	return text;
}

static struct profile *excerpt(const struct profile *p, const struct selection *s)
{
	struct profile *out = NULL;

	assert_int_equal(excerpt_build(p, s, true, &out), 0);
	assert_non_null(out);
	assert_int_equal(profile_check(out), 0);
	return out;
}

/* --- excerpts --------------------------------------------------------------------------------- */

static void test_all_is_no_copy(void **state)
{
	struct profile *p = sample_profile(), *out = p;

	(void)state;
	assert_int_equal(excerpt_build(p, &(struct selection){0}, true, &out), 0);
	assert_null(out);
	profile_free(p);
}

static void test_excerpt_of_process(void **state)
{
	struct profile *p = sample_profile();
	struct profile *e = excerpt(p, &(struct selection){.threads.pid = "node"});

	(void)state;
	assert_int_equal(e->threads.n, 1);
	assert_int_equal(e->samples.n, 150);
	assert_int_equal(metric_sum(e, 0), 150 * (int64_t)SAMPLE_PERIOD);
	assert_string_equal(profile_run(e, RUN_END), "-d 10");
	assert_int_equal(e->duration_ns, p->duration_ns);
	assert_int_equal(e->ledger.n, p->ledger.n);
	/* Nothing that these samples do not need. */
	for (size_t i = 1; i < e->functions.n; i++)
		assert_string_not_equal(profile_text(e, e->functions.at[i].name), "main");
	profile_free(e);
	profile_free(p);
}

static void test_excerpt_by_time_and_focus(void **state)
{
	struct profile *p = sample_profile(), *e;
	const struct selection s = {.from_ns = 1000000000, .to_ns = 2000000000};

	(void)state;
	e = excerpt(p, &s);
	assert_int_equal(e->samples.n, 100);
	assert_int_equal(e->samples.at[0].time_ns, 1000000000);
	profile_free(e);
	e = excerpt(p, &(struct selection){.focus = "pread64"});
	assert_int_equal(e->samples.n, 110);
	profile_free(e);
	assert_int_equal(excerpt_build(p, &(struct selection){.ignore = "*"}, true, &e), -ENOENT);
	profile_free(p);
}

/* What was inlined into a function that is left out stands for itself. */
static void test_excerpt_omits_frames(void **state)
{
	struct profile *p = small_profile(), *e;
	uint32_t node;

	(void)state;
	small_sample(p, 700, 0, "main;host;in+", 3);
	e = excerpt(p, &(struct selection){.omit = "host"});
	node = e->samples.at[e->samples.n - 1].node;
	assert_int_equal(e->frames.at[e->nodes.at[node].frame].inlined, 0);
	node = e->nodes.at[node].parent;
	assert_string_equal(
		profile_text(e,
			     e->functions.at[e->frames.at[e->nodes.at[node].frame].function].name),
		"main");
	profile_free(e);
	profile_free(p);
}

static void test_excerpt_of_metric(void **state)
{
	struct profile *p = small_profile(), *e;

	(void)state;
	e = excerpt(p, &(struct selection){.metric = "faults"});
	assert_int_equal(e->metrics.n, 1);
	assert_int_equal(metric_sum(e, 0), 6);
	assert_int_equal(e->ledger.n, 0); /* all rows of it are the other metric's */
	profile_free(e);
	e = excerpt(p, &(struct selection){.threads.thread = "worker"});
	assert_int_equal(e->metrics.n, 2);
	assert_int_equal(metric_sum(e, 0), 7);
	assert_int_equal(metric_sum(e, 1), 1);
	profile_free(e);
	profile_free(p);
}

static void test_excerpt_of_waits(void **state)
{
	struct profile *p = small_waits(), *e;

	(void)state;
	p->samples.at[0].wait_ns = 25;
	p->samples.at[2].wait_ns = 15;
	e = excerpt(p, &(struct selection){.reason = "lock", .metric = "cpu-clock"});
	assert_int_equal(e->samples.n, 2);
	assert_int_equal(e->samples.at[0].wait_ns, 25);
	assert_int_equal(e->samples.at[1].wait_ns, 15);
	for (size_t i = 0; i < 2; i++)
		assert_int_equal(e->reasons.at[e->samples.at[i].reason].kind, REASON_LOCK);
	profile_free(e);
	profile_free(p);
}

static void test_excerpt_of_zones(void **state)
{
	struct profile *p = zone_profile(), *e;

	(void)state;
	e = excerpt(p, &(struct selection){.zone = "pread64"});
	/* With those that called it. */
	assert_int_equal(e->zones.n, 3);
	assert_string_equal(profile_text(e, e->zones.at[0].name), "pread64");
	assert_int_equal(e->zone_edges.n, 4);
	for (size_t i = 0; i < e->samples.n; i++)
		assert_true(e->samples.at[i].zone > 0);
	profile_free(e);
	e = excerpt(p, &(struct selection){.sort = "name"});
	assert_int_equal(e->zones.n, p->zones.n);
	assert_int_equal(e->zone_hist.n, p->zone_hist.n);
	profile_free(e);
	profile_free(p);
}

/* --- what exports share ----------------------------------------------------------------------- */

static void test_sums(void **state)
{
	struct profile *p = sample_profile();
	struct sums sums;
	int64_t samples = 0;

	(void)state;
	sums_build(p, &sums);
	assert_int_equal(sums.rows.n, sizeof(sample_stacks) / sizeof(*sample_stacks));
	for (size_t i = 0; i < sums.rows.n; i++) {
		assert_int_equal(sums.rows.at[i].samples, sample_stacks[i].count);
		assert_int_equal(sums.values.at[i],
				 sample_stacks[i].count * (int64_t)SAMPLE_PERIOD);
		samples += sums.rows.at[i].samples;
	}
	assert_int_equal(samples, SAMPLE_KEPT);
	sums_release(&sums);
	profile_free(p);
}

/* The call into @node, in values of metric 0. */
static int64_t call_into(const struct edges *e, uint32_t node)
{
	return e->call[node * e->width];
}

/* a;b;a;b;c: each function has all of it once, where it was called first. */
static void test_edges_of_recursion(void **state)
{
	struct profile *p = profile_new();
	struct edges e;
	uint32_t at[5];

	(void)state;
	profile_metric(p, "cpu-clock", "ns", METRIC_SUM);
	small_thread(p, 1, 1, "t", "t");
	at[0] = small_node(p, "a");
	at[1] = small_node(p, "a;b");
	at[2] = small_node(p, "a;b;a");
	at[3] = small_node(p, "a;b;a;b");
	at[4] = small_node(p, "a;b;a;b;c");
	profile_sample(p, 0, 0, at[4], &(int64_t){10});
	profile_sample(p, 1, 0, at[1], &(int64_t){4});
	edges_build(p, &e);
	assert_int_equal(call_into(&e, at[1]), 14);
	assert_int_equal(call_into(&e, at[2]), 0);
	assert_int_equal(call_into(&e, at[3]), 0);
	assert_int_equal(call_into(&e, at[4]), 10);
	assert_int_equal(e.total[at[0] * e.width], 14);
	edges_release(&e);
	profile_free(p);
}

/* "0 main", "5 end": what slices_walk() told. */
static void note_change(void *data, uint64_t time_ns, uint32_t function)
{
	str_addf(data, "%s%llu:%u", ((struct str *)data)->n ? " " : "", (unsigned long long)time_ns,
		 function);
}

static void test_slices(void **state)
{
	struct profile *p = profile_new();
	const uint32_t rows[] = {0, 1, 2};
	struct str told = {0};

	(void)state;
	profile_metric(p, "cpu-clock", "ns", METRIC_SUM);
	small_thread(p, 1, 1, "t", "t");
	profile_sample(p, 0, 0, small_node(p, "a;b"), &(int64_t){10});	 /* functions 1, 2 */
	profile_sample(p, 12, 0, small_node(p, "a;c"), &(int64_t){10});	 /* goes on: 3 */
	profile_sample(p, 100, 0, small_node(p, "a;c"), &(int64_t){10}); /* much later */
	slices_walk(p, (struct lane){rows, 3}, note_change, &told);
	assert_string_equal(told.s, "0:1 0:2 12:0 12:3 22:0 22:0 100:1 100:3 110:0 110:0");
	str_release(&told);
	profile_free(p);
}

/* --- names ------------------------------------------------------------------------------------ */

#define LONG_NAME 100000

/* One stack: names that break careless writers, one of them of LONG_NAME letters. */
static struct profile *hostile_profile(void)
{
	static const char *const names[] = {"quote \" and \\",
					    "a\nb\tc\x01",
					    "bad \xff utf8",
					    "</script><script>",
					    "semi;colon",
					    "",
					    "a,b",
					    "(2) fn=(3) x",
					    "*",
					    "größe\xe2\x80\xae"};
	struct profile *p = profile_new();
	_free_ char *longest = mem_zalloc(LONG_NAME + 1, 1);
	uint32_t node = 0;

	profile_metric(p, "cpu clock=\"x\"", "ns", METRIC_SUM);
	small_thread(p, 1, 1, "t \"h\"\n;r</script>", "p\xff");
	memset(longest, 'x', LONG_NAME);
	for (size_t i = 0; i <= sizeof(names) / sizeof(*names); i++) {
		const char *name = i < sizeof(names) / sizeof(*names) ? names[i] : longest;
		const struct function f = {.name = intern_add(&p->strings, name),
					   .file = intern_add(&p->strings, name),
					   .module = profile_module(p, name, "\"id\""),
					   .line = 3,
					   .named = 1};

		node = profile_node(
			p, node,
			profile_frame(p, &(struct frame){.function = profile_function(p, &f),
							 .line = 4}));
	}
	profile_sample(p, 5, 0, node, &(int64_t){1000});
	profile_sample(p, 6, 0, 0, &(int64_t){7}); /* a stack of nothing */
	profile_set_run(p, RUN_COMMAND, "sh -c \"x\ny\" </script>");
	profile_set_meta(p, META_VERSION, "1");
	p->duration_ns = 1000;
	p->hz = 99;
	return p;
}

static const char *const texts[] = {"speedscope", "callgrind", "chrome", "firefox", "json-profile"};

/* All are UTF-8 without control characters but the ends of lines, and end no script. */
static void test_names_are_clean(void **state)
{
	struct profile *p = hostile_profile();

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		_free_ char *text = text_of(texts[i], p);

		assert_true(str_is_utf8(text, strlen(text)));
		for (const char *s = text; *s; s++)
			assert_true(*s == '\n' || (unsigned char)*s >= ' ');
		assert_true(!strcmp(texts[i], "callgrind") || !strstr(text, "</script"));
	}
	profile_free(p);
}

static void test_nothing_is_still_whole(void **state)
{
	struct profile *p = profile_new();
	_free_ char *trace = text_of("perfetto", p);

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		_free_ char *text = text_of(texts[i], p);

		assert_true(text[0] != 0);
	}
	assert_int_equal(trace[0], '\n'); /* the tag of a packet */
	profile_free(p);
}

static void test_chosen_by_ending(void **state)
{
	static const char *const endings[][2] = {{"x.pb.gz", "pprof"},
						 {"x.speedscope.json", "speedscope"},
						 {"x.json", "json"},
						 {"x.folded", "folded"},
						 {"x.csv", "csv"},
						 {"a/callgrind.out.12", "callgrind"},
						 {"x.trace.json", "chrome"},
						 {"x.pftrace", "perfetto"},
						 {"x.firefox.json", "firefox"},
						 {"x.profile.json", "json-profile"}};

	(void)state;
	for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++)
		assert_ptr_equal(export_find_for(endings[i][0]), export_find(endings[i][1]));
	assert_null(export_find_for("callgrind.out/x"));
	assert_null(export_find_for("xpb.gz"));
}

static int save(const char *path, struct profile *p)
{
	int rc = store_save(path, true, p);

	profile_free(p);
	return rc ? 1 : 0;
}

static int save_in(const char *folder, const char *name, struct profile *p)
{
	_free_ char *path = mem_printf("%s/%s", folder, name);

	return save(path, p);
}

static struct profile *waits_profile(void)
{
	struct profile *p = small_waits();

	profile_set_run(p, RUN_COMMAND, "prog");
	p->samples.at[0].wait_ns = 25;
	return p;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_is_no_copy),
		cmocka_unit_test(test_excerpt_of_process),
		cmocka_unit_test(test_excerpt_by_time_and_focus),
		cmocka_unit_test(test_excerpt_omits_frames),
		cmocka_unit_test(test_excerpt_of_metric),
		cmocka_unit_test(test_excerpt_of_waits),
		cmocka_unit_test(test_excerpt_of_zones),
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_edges_of_recursion),
		cmocka_unit_test(test_slices),
		cmocka_unit_test(test_names_are_clean),
		cmocka_unit_test(test_nothing_is_still_whole),
		cmocka_unit_test(test_chosen_by_ending),
	};

	if (argc == 4)
		return save(argv[1],
			    big_profile(strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10)));
	if (argc == 2)
		return save_in(argv[1], "hostile.h5", hostile_profile()) ||
		       save_in(argv[1], "waits.h5", waits_profile());
	return cmocka_run_group_tests(tests, NULL, NULL);
}
