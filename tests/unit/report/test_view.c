#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "base/units.h"
#include "model/taken.h"
#include "paint/calltree.h"
#include "report_doc.h"
#include "sample_profile.h"
#include "small_profile.h"

static const char *cell(const struct doc_block *b, size_t row, size_t column)
{
	const char *text = b->table.cells.at[row * b->table.columns.n + column].text;

	return text ? text : "";
}

static const char *fact(const struct doc_block *b, const char *label)
{
	for (size_t i = 0; i < b->facts.n; i++)
		if (!strcmp(b->facts.at[i].label, label))
			return b->facts.at[i].value;
	return NULL;
}

static void test_functions_by_self(void **state)
{
	struct report_doc r;
	const struct doc_block *b;
	double self = 0;

	(void)state;
	report_doc_init(&r, sample_profile(), NULL, (const char *const[]){"functions", NULL});
	b = report_doc_block(&r, BLOCK_TABLE, 0);
	assert_string_equal(b->text, "100 % = 10.0 s of time on CPU, 1,000 samples of cpu-clock");
	assert_string_equal(cell(b, 0, 0), "30.0 %");
	assert_string_equal(cell(b, 0, 2), "45.0 %");
	assert_string_equal(cell(b, 0, 4), "3.00 s");
	assert_string_equal(cell(b, 0, 5), "vdbeRecordCompareInt");
	assert_string_equal(cell(b, 0, 6), "libsqlite3.so.0");
	for (size_t row = 0; row < doc_table_rows(&b->table); row++)
		self += b->table.cells.at[row * b->table.columns.n].value;
	assert_float_equal(self, 100, 1e-9);
	report_doc_release(&r);
}

/* What a thread's life consisted of stands between its samples and its numbers. */
static void test_threads_with_lives(void **state)
{
	static const char *const titles[] = {"Life",	"On CPU", "Runnable",  "Starved",
					     "Blocked", "Waits",  "Voluntary", "Forced"};
	static const char *const texts[] = {"15.0 s", "5.00 s", "4.00 s", "44.4 %",
					    "6.00 s", "1,234",	"1,200",  "35"};
	struct profile *p = sample_profile();
	const struct thread_wait w = {.thread = 0,
				      .on_ns = 5000000000,
				      .runnable_ns = 4000000000,
				      .blocked_ns = 6000000000,
				      .waits = 1234,
				      .voluntary = 1200,
				      .involuntary = 35};
	const struct doc_block *b;
	struct report_doc r;
	size_t row = 0;

	(void)state;
	vec_push(&p->thread_waits, w);
	report_doc_init(&r, p, NULL, (const char *const[]){"threads", NULL});
	b = report_doc_block(&r, BLOCK_TABLE, 0);
	assert_int_equal(b->table.columns.n, 16);
	while (strcmp(cell(b, row, 9), "1,234"))
		row++;
	for (size_t i = 0; i < 8; i++) {
		assert_string_equal(b->table.columns.at[4 + i].title, titles[i]);
		assert_string_equal(cell(b, row, 4 + i), texts[i]);
	}
	assert_int_equal(r.doc.blocks.n, 2);
	report_doc_release(&r);
}

/* The summary says how long threads were ready without a CPU, and what share that was. */
static void test_ready_in_summary(void **state)
{
	struct profile *p = sample_profile();
	const struct thread_wait w = {
		.thread = 0, .on_ns = 1000000000, .runnable_ns = 3000000000, .blocked_ns = 1};
	const struct doc_block *b;
	struct report_doc r;
	size_t row = 0;

	(void)state;
	vec_push(&p->thread_waits, w);
	report_doc_init(&r, p, NULL, (const char *const[]){"capture", NULL});
	b = report_doc_block(&r, BLOCK_FACTS, 0);
	while (strcmp(b->facts.at[row].label, "Ready"))
		row++;
	assert_true(b->facts.at[row].warn);
	assert_non_null(strstr(b->facts.at[row].value, "3.00 s without a CPU, 75.0 % of the time "
						       "that threads wanted to run; most: "));
	report_doc_release(&r);
}

/* Says that path i has that share and ends in that text. */
static void assert_path(const struct doc_block *b, size_t i, const char *share, const char *names)
{
	const struct doc_path *path = &b->paths.at[i];
	char text[512] = "";
	path_items items = {0};

	path_layout(b->tree, path, 99, &items);
	for (size_t k = 0; k < items.n; k++) {
		_free_ char *name = path_item_text(b->tree, &items.at[k]);

		strcat(strcat(text, k ? ";" : ""), name);
	}
	vec_release(&items);
	assert_string_equal(path->share, share);
	assert_string_equal(text, names);
}

static void test_paths_merge_inlined_leaves_and_recursion(void **state)
{
	struct report_doc r;
	const struct doc_block *b;

	(void)state;
	report_doc_init(&r, sample_profile(), NULL, (const char *const[]){"paths", NULL});
	b = report_doc_block(&r, BLOCK_PATHS, 0);
	/* 300 in the function and 150 in what is inlined into it. */
	assert_path(b, 0, "45.0 %",
		    "sqlite3;_start;main;sqlite3_step;sqlite3VdbeExec;"
		    "sqlite3BtreeMovetoUnpacked;vdbeRecordCompareInt");
	/* 90 at one level of recursion, 30 at two. */
	assert_path(b, 1, "12.0 %",
		    "node;node::Start(int, char**);JS:~render /srv/app/index.js:40:1;"
		    "JS:*fib /srv/app/index.js:3:13");
	report_doc_release(&r);
}

static void test_paths_of_several_threads_are_one(void **state)
{
	struct profile *p = sample_profile();
	struct report_doc r;
	const struct doc_block *b;
	uint32_t node = sample_node(p, "ab9w");

	(void)state;
	for (uint32_t i = 0; i < 1500; i++)
		profile_sample(p, i, i % 3, node, &(int64_t){SAMPLE_PERIOD});
	report_doc_init(&r, p, NULL, (const char *const[]){"paths", NULL});
	b = report_doc_block(&r, BLOCK_PATHS, 0);
	assert_path(b, 0, "60.0 %", "_start;main;expr_walk ×90");
	report_doc_release(&r);
}

static void test_lives_are_of_the_whole_capture(void **state)
{
	struct profile *p = sample_profile();
	const struct selection some = {.to_ns = 1000000000};
	struct report_doc r;

	(void)state;
	vec_push(&p->thread_waits, ((struct thread_wait){.on_ns = 1}));
	report_doc_init(&r, p, &some, (const char *const[]){"threads", NULL});
	assert_non_null(strstr(report_doc_block(&r, BLOCK_TEXT, 0)->text, "of the whole capture"));
	report_doc_release(&r);
}

static void test_processes_and_threads(void **state)
{
	struct report_doc r;
	const struct doc_block *b;

	(void)state;
	report_doc_init(&r, sample_profile(), NULL,
			(const char *const[]){"processes", "threads", NULL});
	b = report_doc_block(&r, BLOCK_TABLE, 0);
	assert_int_equal(doc_table_rows(&b->table), 2);
	assert_string_equal(cell(b, 0, 0), "85.0 %");
	assert_string_equal(cell(b, 0, 6), "sqlite3");
	assert_string_equal(cell(b, 1, 3), "150");
	b = report_doc_block(&r, BLOCK_TABLE, 1);
	assert_int_equal(doc_table_rows(&b->table), 3);
	/* 130 of 1,000: 1.96 √(130 · 0.87), and a little for the number itself. */
	assert_string_equal(cell(b, 2, 2), "1.30 s ±208 ms");
	assert_string_equal(cell(b, 2, 6), "work;er<1>&?");
	report_doc_release(&r);
}

static void test_processes_of_one_name_are_one_row(void **state)
{
	struct profile *p = sample_profile();
	struct report_doc r;
	const struct doc_block *b;
	struct thread cc1 = {.name = intern_add(&p->strings, "cc1")};

	(void)state;
	cc1.process = cc1.name;
	for (uint32_t i = 0; i < 500; i++) {
		cc1.pid = cc1.tid = 9000 + i;
		profile_sample(p, i, profile_thread(p, &cc1), 1, &(int64_t){2 * SAMPLE_PERIOD});
	}
	report_doc_init(&r, p, NULL, (const char *const[]){"processes", NULL});
	b = report_doc_block(&r, BLOCK_TABLE, 0);
	assert_int_equal(doc_table_rows(&b->table), 3);
	assert_string_equal(cell(b, 0, 0), "50.0 %");
	assert_string_equal(cell(b, 0, 4), "500");
	assert_string_equal(cell(b, 0, 5), "–");
	assert_string_equal(cell(b, 0, 6), "cc1");
	report_doc_release(&r);
}

static void test_one_process_needs_no_table(void **state)
{
	const struct selection one = {.threads.pid = "4800"};
	struct report_doc r;

	(void)state;
	report_doc_init(&r, sample_profile(), &one, (const char *const[]){"processes", NULL});
	assert_int_equal(r.doc.blocks.n, 0);
	report_doc_release(&r);
}

static void test_summary_names_every_loss(void **state)
{
	struct report_doc r;
	const struct doc_block *b;

	(void)state;
	report_doc_init(&r, sample_profile(), NULL,
			(const char *const[]){"summary", "capture", NULL});
	b = report_doc_block(&r, BLOCK_FACTS, 0);
	assert_string_equal(fact(b, "Samples"),
			    "1,000 kept, lost 19 of 1,019 (1.9 %): 12 ring full; "
			    "7 stack unreadable");
	assert_string_equal(fact(b, "On CPU"), "1.00 CPUs busy (10.0 s)");
	assert_null(fact(b, "Shown"));
	assert_null(fact(b, "Lost"));
	b = report_doc_block(&r, BLOCK_FACTS, 1);
	assert_string_equal(fact(b, "Ledger"), "cpu-clock: 1,000 kept of 1,019 taken");
	assert_string_equal(fact(b, "Notes"),
			    "on up to 0.5 % of the samples: 5 stack cut at 512 frames");
	report_doc_release(&r);
}

static void test_summary_says_how_the_unnamed_are_shown(void **state)
{
	const char *wanted[] = {
		"2.5 % are in code without symbols, shown as module+offset",
		"11.4 % are in code without symbols, shown as module+offset or [JIT code]",
	};

	(void)state;
	for (int with_jit = 0; with_jit < 2; with_jit++) {
		struct profile *p = sample_profile();
		const int64_t value = 100 * SAMPLE_PERIOD;
		struct function f = {.name = intern_add(&p->strings, "[JIT code]"),
				     .module = profile_module(p, "//anon", ""),
				     .kind = KIND_JIT};
		struct frame frame = {.function = profile_function(p, &f)};
		struct report_doc r;

		if (with_jit)
			profile_sample(p, 1, 0, profile_node(p, 0, profile_frame(p, &frame)),
				       &value);
		report_doc_init(&r, p, NULL, (const char *const[]){"capture", NULL});
		assert_string_equal(fact(report_doc_block(&r, BLOCK_FACTS, 0), "Unnamed"),
				    wanted[with_jit]);
		report_doc_release(&r);
	}
}

static void test_summary_says_what_is_selected(void **state)
{
	const struct selection part = {.threads.pid = "node", .to_ns = 9950000000};
	struct report_doc r;

	(void)state;
	report_doc_init(&r, sample_profile(), &part, (const char *const[]){"summary", NULL});
	assert_string_equal(fact(report_doc_block(&r, BLOCK_FACTS, 0), "Shown"),
			    "only --pid node from 0 ns to 9.95 s: 145 samples");
	report_doc_release(&r);
}

static void test_time_of_a_capture_that_went_on(void **state)
{
	struct profile *p = sample_profile();
	struct report_doc r;

	(void)state;
	profile_set_run(p, RUN_END, RUN_END_NONE);
	report_doc_init(&r, p, NULL, (const char *const[]){"summary", NULL});
	assert_string_equal(
		fact(report_doc_block(&r, BLOCK_FACTS, 0), "Time"),
		"10.0 s from 2026-03-01T12:00:00Z; capture still running when this was written");
	report_doc_release(&r);
}

static void test_slowdown_is_in_the_summary(void **state)
{
	static const struct {
		double percent;
		const char *text;
		bool warn;
	} want[] = {{1, "1.0 % by samples: interrupts", false},
		    {17.2, "17.2 % by samples: interrupts", true},
		    {SLOWDOWN_MOST, "900.0 % or more by samples: interrupts", true}};
	const struct doc_block *b;
	struct report_doc r;

	(void)state;
	for (size_t k = 0; k < sizeof(want) / sizeof(*want); k++) {
		struct profile *p = sample_profile();
		bool seen = false;

		profile_cost(p, COST_SLOWDOWN "interrupts", "%", want[k].percent);
		report_doc_init(&r, p, NULL, (const char *const[]){"summary", NULL});
		b = report_doc_block(&r, BLOCK_FACTS, 0);
		assert_string_equal(fact(b, "Slowdown"), want[k].text);
		/* A large one stands before the sentence: it changes what one should believe. */
		assert_int_equal(b == &r.doc.blocks.at[0], want[k].percent > 20);
		for (size_t i = 0; i < b->facts.n; i++)
			seen |= b->facts.at[i].warn && !strcmp(b->facts.at[i].label, "Slowdown");
		assert_int_equal(seen, want[k].warn);
		report_doc_release(&r);
	}
}

static void test_slowdown_has_an_interval(void **state)
{
	static const struct {
		double ns, least_ns, most_ns; /* of 1 s */
		const char *text;
	} want[] = {
		{2e6, 1e6, 4e6, "0.2 % (0.1 to 0.4 %): probes"},
		{2e8, 1e8, 5e8, "25.0 % (11.1 to 100 %): probes"},
		/* A tenth of the time is too little to tell the target's own from the error. */
		{8e8, 5e8, 9.5e8, "400.0 % (100 % or more): probes"},
		{2e9, 8e8, 3e9, "more than 400.0 %: probes"},
		{9e9, 8e9, 10e9, "more than 900.0 %: probes"},
	};

	(void)state;
	for (size_t k = 0; k < sizeof(want) / sizeof(*want); k++) {
		const struct taken t = {want[k].ns, want[k].least_ns, want[k].most_ns};
		struct profile *p = sample_profile();
		struct report_doc r;

		profile_add_taken(p, "probes", &t, 1e9);
		report_doc_init(&r, p, NULL, (const char *const[]){"summary", NULL});
		assert_string_equal(fact(report_doc_block(&r, BLOCK_FACTS, 0), "Slowdown"),
				    want[k].text);
		report_doc_release(&r);
	}
}

static void test_ledger_that_does_not_add_up_is_said(void **state)
{
	struct profile *p = sample_profile();
	struct report_doc r;

	(void)state;
	profile_ledger(p, 0, LEDGER_LOST, "forgotten", 3);
	report_doc_init(&r, p, NULL, (const char *const[]){"summary", "cost", NULL});
	assert_string_equal(fact(report_doc_block(&r, BLOCK_FACTS, 0), "Inconsistent"),
			    "ledger of cpu-clock: 1019 taken, but 1000 kept + 22 lost; shown as it "
			    "is");
	assert_string_equal(fact(report_doc_block(&r, BLOCK_FACTS, 2), "Does not add up"),
			    "cpu-clock: 1019 taken, but 1000 kept + 22 lost = 1022");
	report_doc_release(&r);
}

static void test_cost_shows_ledger_and_cost(void **state)
{
	struct report_doc r;
	const struct doc_block *b;

	(void)state;
	report_doc_init(&r, sample_profile(), NULL, (const char *const[]){"cost", NULL});
	b = report_doc_block(&r, BLOCK_TABLE, 0);
	assert_int_equal(doc_table_rows(&b->table), 6);
	assert_string_equal(cell(b, 2, 0), "lost");
	assert_string_equal(cell(b, 2, 1), "12");
	assert_string_equal(cell(b, 2, 3), "ring full");
	b = report_doc_block(&r, BLOCK_TABLE, 1);
	assert_string_equal(cell(b, 0, 0), "2.41 ms");
	assert_string_equal(cell(b, 3, 0), "23.0 MiB");
	report_doc_release(&r);
}

static void test_every_view_copes_with_nothing(void **state)
{
	struct profile *p = profile_new();
	struct report_doc r;

	(void)state;
	profile_metric(p, "page-faults", "events", METRIC_COUNT);
	report_doc_init(&r, p, NULL,
			(const char *const[]){"summary", "flame", "functions", "paths", "processes",
					      "threads", "cost", NULL});
	assert_int_equal(report_doc_block(&r, BLOCK_PATHS, 0)->paths.n, 0);
	assert_string_equal(fact(report_doc_block(&r, BLOCK_FACTS, 0), "Samples"),
			    "0 kept; losses are unknown: there is no ledger");
	report_doc_release(&r);
}

static void test_reasons_by_kind_and_object(void **state)
{
	struct report_doc r;
	const struct doc_block *b;

	(void)state;
	report_doc_init(&r, small_waits(), NULL, (const char *const[]){"reasons", NULL});
	b = report_doc_block(&r, BLOCK_TABLE, 0);
	assert_int_equal(doc_table_rows(&b->table), 3);
	assert_string_equal(cell(b, 0, 4), "sleep");
	assert_string_equal(cell(b, 0, 6), "undecided");
	assert_string_equal(cell(b, 1, 4), "lock");
	assert_string_equal(cell(b, 1, 6), "undecided");
	assert_string_equal(cell(b, 1, 5), "DS");
	assert_string_equal(cell(b, 1, 3), "2");
	assert_string_equal(cell(b, 2, 4), "runnable");
	assert_string_equal(cell(b, 2, 6), "");
	b = report_doc_block(&r, BLOCK_TABLE, 1);
	assert_int_equal(doc_table_rows(&b->table), 3);
	assert_string_equal(cell(b, 1, 4), "lock");
	assert_string_equal(cell(b, 1, 5), "undecided");
	assert_string_equal(cell(b, 1, 6), "futex");
	assert_string_equal(cell(b, 1, 7), "app:queue_lock");
	report_doc_release(&r);
}

/* A kind of a newer program's has no name here, but is no error. */
static void test_reasons_of_a_newer_program(void **state)
{
	struct profile *p = small_waits();
	struct report_doc r;
	const struct doc_block *b;

	(void)state;
	p->reasons.at[1].kind = 99;
	report_doc_init(&r, p, NULL, (const char *const[]){"reasons", NULL});
	b = report_doc_block(&r, BLOCK_TABLE, 0);
	assert_string_equal(cell(b, 1, 4), "another reason");
	report_doc_release(&r);
}

/* A program that was always busy looks so: no cell is shorter than the timer's period. */
static void test_heatmap_has_no_gaps(void **state)
{
	struct profile *p = sample_profile();
	uint32_t node = sample_node(p, "busy");
	struct report_doc r;
	const struct doc_heat *h;

	(void)state;
	p->samples.n = 0;
	p->samples.values.at[0].n = 0;
	p->duration_ns = 1360000000;
	for (uint64_t at = 500000; at < (uint64_t)p->duration_ns; at += 1001001)
		profile_sample(p, at, 0, node, &(int64_t){1001001});
	report_doc_init(&r, p, NULL, (const char *const[]){"heatmap", NULL});
	h = &report_doc_block(&r, BLOCK_HEAT, 0)->heat;
	assert_int_equal(h->column_ns, 20000000);
	assert_int_equal(h->row_ns, 5000000);
	assert_int_equal(h->rows, 4);
	assert_int_equal(h->columns, 68);
	for (size_t i = 0; i < h->counts.n; i++)
		assert_in_range(h->counts.at[i], 4, 6);
	report_doc_release(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads_with_lives),
		cmocka_unit_test(test_ready_in_summary),
		cmocka_unit_test(test_lives_are_of_the_whole_capture),
		cmocka_unit_test(test_functions_by_self),
		cmocka_unit_test(test_paths_merge_inlined_leaves_and_recursion),
		cmocka_unit_test(test_paths_of_several_threads_are_one),
		cmocka_unit_test(test_processes_and_threads),
		cmocka_unit_test(test_processes_of_one_name_are_one_row),
		cmocka_unit_test(test_one_process_needs_no_table),
		cmocka_unit_test(test_summary_names_every_loss),
		cmocka_unit_test(test_summary_says_how_the_unnamed_are_shown),
		cmocka_unit_test(test_summary_says_what_is_selected),
		cmocka_unit_test(test_time_of_a_capture_that_went_on),
		cmocka_unit_test(test_slowdown_is_in_the_summary),
		cmocka_unit_test(test_slowdown_has_an_interval),
		cmocka_unit_test(test_ledger_that_does_not_add_up_is_said),
		cmocka_unit_test(test_cost_shows_ledger_and_cost),
		cmocka_unit_test(test_every_view_copes_with_nothing),
		cmocka_unit_test(test_reasons_by_kind_and_object),
		cmocka_unit_test(test_reasons_of_a_newer_program),
		cmocka_unit_test(test_heatmap_has_no_gaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
