/* Wakings are joined with the waits that they ended, and with who woke the waker. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "book/wakebook.h"

#define PID 0x7ffffffe /* no process has it */
#define A   11
#define B   12
#define C   13

struct world {
	struct images *images;
	struct procs *procs;
	struct stackbook stacks;
	struct wakebook *book;
};

static int open_world(void **state)
{
	struct world *w = mem_zalloc(1, sizeof(*w));

	w->images = images_new();
	w->procs = procs_new(w->images);
	w->book = wakebook_new();
	*state = w;
	return 0;
}

static int close_world(void **state)
{
	struct world *w = *state;

	wakebook_free(w->book);
	stackbook_release(&w->stacks);
	procs_free(w->procs);
	images_free(w->images);
	free(w);
	return 0;
}

/* When a thread left its CPU, and when it was woken or came back. */
struct span {
	uint64_t out_ns, time_ns;
};

/* A thread's stack has its number. */
static void wake(struct world *w, uint32_t waker, uint32_t woken, struct span s)
{
	const struct wire_offcpu record = {.sample = {.kind = WIRE_OFFCPU,
						      .event = WIRE_OFF_STREAM_WAKE,
						      .time_ns = s.time_ns,
						      .pid = PID,
						      .tid = waker,
						      .weight = 1000},
					   .woken = {PID, woken},
					   .wait_ns = s.time_ns - s.out_ns,
					   .news = WIRE_OFF_WAKE};

	wakebook_wake(w->book, &record, waker, &w->stacks, w->procs);
}

static void come_back(struct world *w, uint32_t tid, struct span s)
{
	const struct wire_offcpu record = {.sample = {.time_ns = s.time_ns, .pid = PID, .tid = tid},
					   .wait_ns = s.time_ns - s.out_ns,
					   .news = WIRE_OFF_WAIT};
	const struct sample_row row = {.thread = procs_thread(w->procs, PID, tid),
				       .user = tid,
				       .kernel = NO_STACK,
				       .zone = 3};

	wakebook_wait(w->book, &record, &row);
}

static uint32_t tid_of(const struct world *w, const struct wake_place *p)
{
	return w->procs->entries.at[p->thread].tid;
}

static void assert_chain(const struct world *w, size_t i, const uint32_t *tids, uint32_t n)
{
	const struct wake *wake = &w->book->wakes.at[i];

	assert_int_equal(wake->wakers.n, n);
	for (uint32_t k = 0; k < n; k++) {
		assert_int_equal(tid_of(w, &wake->wakers.at[k]), tids[k]);
		assert_int_equal(wake->wakers.at[k].user, tids[k]);
	}
}
#define ASSERT_CHAIN(w, i, ...)                             \
	assert_chain(w, i, (const uint32_t[]){__VA_ARGS__}, \
		     sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t))

static void a_waking_is_joined_with_its_wait(void **state)
{
	struct world *w = *state;

	wake(w, B, A, (struct span){10, 100});
	assert_int_equal(w->book->wakes.n, 0);
	come_back(w, A, (struct span){10, 120});
	assert_int_equal(w->book->wakes.n, 1);
	assert_int_equal(w->book->wakes.at[0].woken.user, A);
	assert_int_equal(tid_of(w, &w->book->wakes.at[0].woken), A);
	ASSERT_CHAIN(w, 0, B);
	assert_int_equal(w->book->book.rows.n, 1);
	assert_int_equal(w->book->book.rows.at[0].time_ns, 100);
	assert_int_equal(w->book->book.rows.at[0].weight, 1000);
	assert_int_equal(w->book->book.rows.at[0].zone, 3);
	/* A wait whose waking was not sampled. */
	come_back(w, A, (struct span){130, 150});
	wakebook_finish(w->book);
	assert_int_equal(w->book->wakes.n, 1);
	assert_int_equal(w->book->alone, 0);
}

static void another_wait_of_the_thread_is_none_of_it(void **state)
{
	struct world *w = *state;

	wake(w, B, A, (struct span){10, 100});
	come_back(w, A, (struct span){11, 120});
	come_back(w, B, (struct span){10, 120});
	assert_int_equal(w->book->wakes.n, 0);
	wakebook_finish(w->book);
	assert_int_equal(w->book->wakes.n, 1);
	assert_int_equal(w->book->alone, 1);
	assert_int_equal(w->book->wakes.at[0].woken.user, NO_STACK);
	assert_int_equal(tid_of(w, &w->book->wakes.at[0].woken), A);
	ASSERT_CHAIN(w, 0, B);
	wakebook_finish(w->book);
	assert_int_equal(w->book->wakes.n, 1);
}

/* The sample of a wait was lost, the thread ended, another has its number. */
static void a_number_that_is_used_again_is_another_thread(void **state)
{
	struct world *w = *state;

	wake(w, B, A, (struct span){10, 100});
	wake(w, C, A, (struct span){200, 300});
	assert_int_equal(w->book->alone, 1);
	ASSERT_CHAIN(w, 0, B);
	come_back(w, A, (struct span){200, 310});
	assert_int_equal(w->book->wakes.n, 2);
	assert_int_equal(w->book->wakes.at[1].woken.user, A);
	ASSERT_CHAIN(w, 1, C);
}

static void who_woke_the_waker_meanwhile_follows(void **state)
{
	struct world *w = *state;

	wake(w, C, B, (struct span){50, 90});
	wake(w, B, A, (struct span){10, 100});
	come_back(w, A, (struct span){10, 120});
	ASSERT_CHAIN(w, 0, B, C);
	/* Who woke it before the wait began does not. */
	wake(w, B, A, (struct span){95, 130});
	come_back(w, A, (struct span){95, 140});
	ASSERT_CHAIN(w, 1, B);
}

static void a_chain_has_its_bound(void **state)
{
	struct world *w = *state;

	for (uint32_t i = 1; i <= 12; i++)
		wake(w, i + 1, i, (struct span){100 - i, 200 - i});
	for (uint32_t i = 12; i; i--)
		wake(w, 100 + i, 100 + i - 1, (struct span){i, 1000 - i});
	come_back(w, 100, (struct span){1, 1100});
	ASSERT_CHAIN(w, w->book->wakes.n - 1, 101, 102, 103, 104, 105, 106, 107, 108);
	assert_int_equal(WAKE_CHAIN, 8);
}

/* The idle loop's thread number is a CPU. */
static void a_cpu_is_no_thread(void **state)
{
	struct world *w = *state;
	struct wire_offcpu record = {
		.sample = {.event = WIRE_OFF_STREAM_WAKE, .time_ns = 100, .tid = 2},
		.woken = {PID, A},
		.wait_ns = 90,
		.news = WIRE_OFF_WAKE};

	wake(w, C, 2, (struct span){50, 90});
	wakebook_wake(w->book, &record, NO_STACK, &w->stacks, w->procs);
	come_back(w, A, (struct span){10, 120});
	assert_int_equal(w->book->wakes.n, 1);
	assert_int_equal(w->book->wakes.at[0].wakers.n, 1);
}

/* What is held is bounded, and what gives way to another is counted. */
static void two_threads_in_one_place(void **state)
{
	struct world *w = *state;

	wake(w, B, A, (struct span){10, 100});
	wake(w, C, A + WAKE_THREADS, (struct span){20, 110});
	assert_int_equal(w->book->alone, 1);
	come_back(w, A, (struct span){10, 120});
	assert_int_equal(w->book->wakes.n, 1);
	come_back(w, A + WAKE_THREADS, (struct span){20, 120});
	assert_int_equal(w->book->wakes.n, 2);
	ASSERT_CHAIN(w, 1, C);
}

/* All stacks and threads; what is marked gets a number behind those before it. */
static struct survivors all_remains(const struct world *w)
{
	struct survivors r = {0};

	for (uint32_t i = 0; i < 32; i++)
		vec_push(&r.stacks, 0);
	for (uint32_t i = 0; i < w->procs->entries.n; i++)
		vec_push(&r.threads, 0);
	return r;
}

static void windows_forget_what_nothing_refers_to(void **state)
{
	struct world *w = *state;
	struct survivors r;

	wake(w, B, A, (struct span){10, 100});
	come_back(w, A, (struct span){10, 120});
	wakebook_window_end(w->book);
	wake(w, C, B, (struct span){105, 130}); /* pending */
	r = all_remains(w);
	wakebook_window_forget(w->book, &r);
	assert_int_equal(w->book->wakes.n, 0);
	assert_int_equal(w->book->book.rows.n, 0);
	assert_int_equal(samplebook_count(&w->book->book), 1);
	assert_int_equal(r.stacks.at[B], 1); /* A's last waker */
	assert_int_equal(r.stacks.at[C], 1);
	r.stacks.at[B] = 0;
	r.stacks.at[C] = 1;
	wakebook_window_renumber(w->book, &r);
	survivors_release(&r);

	/* In the next one A is not woken, and gone. */
	wakebook_window_end(w->book);
	r = all_remains(w);
	wakebook_window_forget(w->book, &r);
	assert_int_equal(r.stacks.at[0], 0);
	assert_int_equal(r.stacks.at[1], 1);
	survivors_release(&r);
	come_back(w, B, (struct span){105, 140});
	assert_int_equal(w->book->wakes.n, 1);
	assert_int_equal(w->book->wakes.at[0].wakers.at[0].user, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_waking_is_joined_with_its_wait, open_world,
						close_world),
		cmocka_unit_test_setup_teardown(another_wait_of_the_thread_is_none_of_it,
						open_world, close_world),
		cmocka_unit_test_setup_teardown(a_number_that_is_used_again_is_another_thread,
						open_world, close_world),
		cmocka_unit_test_setup_teardown(who_woke_the_waker_meanwhile_follows, open_world,
						close_world),
		cmocka_unit_test_setup_teardown(a_chain_has_its_bound, open_world, close_world),
		cmocka_unit_test_setup_teardown(a_cpu_is_no_thread, open_world, close_world),
		cmocka_unit_test_setup_teardown(two_threads_in_one_place, open_world, close_world),
		cmocka_unit_test_setup_teardown(windows_forget_what_nothing_refers_to, open_world,
						close_world),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
