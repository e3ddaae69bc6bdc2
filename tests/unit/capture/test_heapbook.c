/* heapbook: changes of allocators' sums from one look to the next. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "book/heapbook.h"
#include "stack/stackbook.h"

#define BLOCKS(n, size_of_all)                        \
	{                                             \
		size_of_all, (n)*WIRE_ALLOC_ONE, 0, 0 \
	}

#define KEY_WORDS   1
#define VALUE_WORDS (sizeof(struct wire_alloc_row) / sizeof(uint64_t))

/* As counters_entries() reads them. */
static void put(struct map_entries *e, const struct wire_alloc_row *row)
{
	uint64_t words[VALUE_WORDS];

	e->key_words = KEY_WORDS;
	e->value_words = VALUE_WORDS;
	vec_push(&e->words, e->n);
	memcpy(words, row, sizeof(words));
	for (size_t i = 0; i < VALUE_WORDS; i++)
		vec_push(&e->words, words[i]);
	e->n++;
}

static void look(struct heapbook *b, const struct wire_alloc_row *rows, size_t n, uint64_t epoch,
		 uint64_t time_ns, bool last)
{
	struct map_entries e = {0};

	for (size_t i = 0; i < n; i++)
		put(&e, &rows[i]);
	heapbook_look(b, &e, n, epoch, NULL, time_ns, last);
	vec_release(&e.words);
}

static void changes_add_up(void **state)
{
	const struct wire_alloc_row first[] = {
		{.epoch = 0}, {.total = BLOCKS(3, 300), .live = BLOCKS(2, 200), .epoch = 1}};
	const struct wire_alloc_row second[] = {{.epoch = 0},
						{.total = BLOCKS(3, 300),
						 .live = BLOCKS(1, 50),
						 .epoch = 2,
						 .peak = BLOCKS(2, 200)}};
	struct heapbook b = {0};

	(void)state;
	heapbook_know(&b, 1, &(struct heap_origin){.thread = 7, .user = 9});
	/* No peak since its last change: what is live is that of the peak. */
	look(&b, first, 2, 2, 10, false);
	look(&b, second, 2, 2, 20, false);
	look(&b, second, 2, 2, 30, false);
	assert_int_equal(b.changes.n, 2);
	assert_int_equal(b.changes.at[0].by[HEAP_LIVE], 200);
	assert_int_equal(b.changes.at[0].by[HEAP_PEAK], 200);
	assert_int_equal(b.changes.at[0].by[HEAP_TOTAL_BLOCKS], 3);
	assert_int_equal(b.changes.at[1].time_ns, 20);
	assert_int_equal(b.changes.at[1].by[HEAP_LIVE], -150);
	/* It was live when the peak came, and is not any more. */
	assert_int_equal(b.changes.at[1].by[HEAP_PEAK], 0);
	assert_int_equal(b.changes.at[1].by[HEAP_TOTAL_BLOCKS], 0);
	heapbook_release(&b);
}

static void a_later_peak_has_what_is_live_then(void **state)
{
	const struct wire_alloc_row row[] = {
		{.epoch = 0}, {.total = BLOCKS(1, 100), .epoch = 1, .peak = BLOCKS(1, 100)}};
	struct heapbook b = {0};

	(void)state;
	heapbook_know(&b, 1, &(struct heap_origin){.thread = 0, .user = 0});
	look(&b, row, 2, 1, 10, false);
	assert_int_equal(b.changes.at[0].by[HEAP_PEAK], 100);
	look(&b, row, 2, 5, 20, false);
	assert_int_equal(b.changes.at[1].by[HEAP_PEAK], -100);
	heapbook_release(&b);
}

static void rows_wait_until_they_are_known(void **state)
{
	const struct wire_alloc_row rows[] = {{.total = BLOCKS(1, 8)}, {.total = BLOCKS(2, 16)}};
	struct heapbook b = {0};

	(void)state;
	look(&b, rows, 2, 0, 10, false);
	assert_int_equal(b.changes.n, 0);
	/* The first is that of calls without a stack: any thread's. */
	heapbook_know(&b, 1, &(struct heap_origin){.thread = 3, .user = 4});
	look(&b, rows, 2, 0, 20, false);
	assert_int_equal(b.changes.n, 2);
	assert_int_equal(b.changes.at[0].by[HEAP_TOTAL], 8);
	assert_int_equal(b.changes.at[1].by[HEAP_TOTAL], 16);
	assert_int_equal(b.rows.at[0].of.thread, 3);
	assert_int_equal(b.rows.at[0].of.user, NO_STACK);
	heapbook_know(&b, WIRE_ALLOC_ROWS, &(struct heap_origin){.thread = 1, .user = 1});
	assert_int_equal(b.rows.n, 2);
	heapbook_release(&b);
}

static void leaks_are_added(void **state)
{
	const struct wire_alloc_row row = {.leaked = BLOCKS(1, 10)};
	const struct wire_alloc_sum leaked[] = {{0}, BLOCKS(9, 90)};
	struct heapbook b = {0};
	struct map_entries e = {0};

	(void)state;
	put(&e, &(struct wire_alloc_row){.epoch = 0});
	put(&e, &row);
	heapbook_know(&b, 1, &(struct heap_origin){.thread = 0, .user = 0});
	heapbook_look(&b, &e, 2, 0, leaked, 10, true);
	assert_int_equal(b.changes.n, 1);
	assert_int_equal(b.changes.at[0].by[HEAP_LEAKED], 100);
	assert_int_equal(b.changes.at[0].by[HEAP_LEAKED_BLOCKS], 10);
	vec_release(&e.words);
	heapbook_release(&b);
}

static void old_rows_are_used_up(void **state)
{
	const struct wire_alloc_row live[] = {{.epoch = 0},
					      {.live = BLOCKS(1, 0),
					       .total = BLOCKS(1, 0),
					       .epoch = 1}},
				    gone[] = {{.epoch = 0}, {.total = BLOCKS(1, 0), .epoch = 1}};
	struct survivors r = {0};
	struct heapbook b = {0};

	(void)state;
	heapbook_know(&b, 1, &(struct heap_origin){.thread = 0, .user = 0});
	look(&b, live, 2, 1, 10, false);
	for (int i = 0; i < 3; i++) {
		heapbook_window_end(&b);
		heapbook_window_forget(&b, &r);
	}
	assert_false(heapbook_is_used_up(&b, 1));
	look(&b, gone, 2, 1, 20, false);
	/* That change is not written. */
	assert_false(heapbook_is_used_up(&b, 1));
	heapbook_window_end(&b);
	assert_true(heapbook_is_used_up(&b, 1));
	heapbook_drop(&b, 1);
	assert_false(b.rows.at[1].known);
	assert_int_equal(heapbook_tally(&b).ends[0], 1);
	/* Another one by that number begins anew. */
	heapbook_know(&b, 1, &(struct heap_origin){.thread = 0, .user = 0});
	assert_false(heapbook_is_used_up(&b, 1));
	assert_int_equal(b.rows.at[1].last[HEAP_TOTAL_BLOCKS], 0);
	heapbook_release(&b);
}

static void windows_leave_what_came_later(void **state)
{
	const struct wire_alloc_row first[] = {{.epoch = 0}, {.total = BLOCKS(1, 8)}},
				    second[] = {{.epoch = 0}, {.total = BLOCKS(2, 20)}};
	struct survivors r = {0};
	struct heapbook b = {0};

	(void)state;
	for (int i = 0; i < 10; i++) {
		vec_push(&r.stacks, 0);
		vec_push(&r.threads, 0);
	}
	heapbook_know(&b, 1, &(struct heap_origin){.thread = 2, .user = 5});
	look(&b, first, 2, 0, 10, false);
	heapbook_window_end(&b);
	look(&b, second, 2, 0, 20, false);
	heapbook_window_forget(&b, &r);
	assert_int_equal(b.changes.n, 1);
	assert_int_equal(b.changes.at[0].by[HEAP_TOTAL], 12);
	assert_int_equal(r.stacks.at[5], 1);
	assert_int_equal(r.threads.at[2], 1);
	r.stacks.at[5] = 0;
	r.threads.at[2] = 1;
	heapbook_window_renumber(&b, &r);
	assert_int_equal(b.rows.at[1].of.user, 0);
	assert_int_equal(b.rows.at[1].of.thread, 1);
	survivors_release(&r);
	heapbook_release(&b);
}

static void samples_stand_for_others(void **state)
{
	/* A tenth of all such blocks: 10 blocks of 1000 bytes each, (1 - p) / p^2 = 90. */
	const struct wire_alloc_block block = {.bytes = 1000, .weight = 10000},
				      whole = {.bytes = 1000}, empty = {.bytes = 0, .weight = 500};
	struct wire_alloc_row row[] = {{.epoch = 0}, {.total = wire_alloc_worth(&block)}};
	struct wire_alloc_sum sum = wire_alloc_worth(&whole);
	struct heapbook b = {0};

	(void)state;
	assert_int_equal(sum.bytes, 1000);
	assert_int_equal(sum.blocks, WIRE_ALLOC_ONE);
	assert_int_equal(sum.bytes_variance + sum.blocks_variance, 0);
	sum = wire_alloc_worth(&empty);
	assert_int_equal(sum.bytes, 0);
	assert_int_equal(sum.blocks, 500 * WIRE_ALLOC_ONE);
	heapbook_know(&b, 1, &(struct heap_origin){.thread = 0, .user = 0});
	look(&b, row, 2, 0, 10, false);
	assert_int_equal(b.changes.at[0].by[HEAP_TOTAL], 10000);
	assert_int_equal(b.changes.at[0].by[HEAP_TOTAL_BLOCKS], 10);
	assert_int_equal(b.changes.at[0].by[HEAP_VALUES + HEAP_TOTAL], 1000 * 1000 * 90);
	assert_int_equal(b.changes.at[0].by[HEAP_VALUES + HEAP_TOTAL_BLOCKS], 90);
	assert_int_equal(b.changes.at[0].by[HEAP_VALUES + HEAP_LIVE], 0);
	heapbook_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(changes_add_up),
		cmocka_unit_test(a_later_peak_has_what_is_live_then),
		cmocka_unit_test(rows_wait_until_they_are_known),
		cmocka_unit_test(leaks_are_added),
		cmocka_unit_test(samples_stand_for_others),
		cmocka_unit_test(old_rows_are_used_up),
		cmocka_unit_test(windows_leave_what_came_later),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
