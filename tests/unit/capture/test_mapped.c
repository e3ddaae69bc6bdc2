/*
 * What is mapped (heap/mapped.h): each kind of change against sums known beforehand, and a long row
 * of random ones against a model that knows the owner of every page.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "heap/mapped.h"

#define OWNERS 64
#define PAGES  200
#define PAGE   4096u

struct state {
	struct mapped mapped;
	mapped_changes changes;
	int64_t of[OWNERS]; /* bytes, by owner: the sum of all changes */
};

static int setup(void **out)
{
	*out = calloc(1, sizeof(struct state));
	return *out ? 0 : -1;
}

static int teardown(void **out)
{
	struct state *s = *out;

	mapped_release(&s->mapped);
	vec_release(&s->changes);
	free(s);
	return 0;
}

static void add_up(struct state *s)
{
	vec_each (c, &s->changes)
		s->of[c->by] += c->bytes;
	s->changes.n = 0;
}

static void put(struct state *s, uint64_t start, uint64_t end, uint32_t by, bool accessible)
{
	assert_true(mapped_put(&s->mapped, (struct mapped_piece){start, end, by, accessible},
			       &s->changes));
	add_up(s);
}

static uint64_t take(struct state *s, uint64_t start, uint64_t end)
{
	const uint64_t unknown = mapped_take(&s->mapped, start, end, &s->changes);

	add_up(s);
	return unknown;
}

static void parts_are_unmapped(void **state)
{
	struct state *s = *state;

	put(s, 100, 200, 1, true);
	assert_int_equal(s->of[1], 100);
	assert_int_equal(take(s, 140, 160), 0); /* a hole */
	assert_int_equal(s->of[1], 80);
	assert_int_equal(s->mapped.pieces.n, 2);
	assert_int_equal(take(s, 90, 110), 10); /* the front */
	assert_int_equal(s->of[1], 70);
	assert_int_equal(take(s, 130, 170), 20); /* both edges of the hole */
	assert_int_equal(s->of[1], 50);
	assert_int_equal(take(s, 0, 1000), 950);
	assert_int_equal(s->of[1], 0);
	assert_int_equal(take(s, 5, 5), 0);
	assert_int_equal(take(s, 7, 5), 0);
}

static void what_is_mapped_replaces(void **state)
{
	struct state *s = *state;

	put(s, 0, 100, 1, true);
	put(s, 40, 60, 2, true);
	assert_int_equal(s->of[1], 80);
	assert_int_equal(s->of[2], 20);
	assert_int_equal(s->mapped.pieces.n, 3);
	put(s, 40, 60, 1, true); /* and joins what is alike */
	assert_int_equal(s->of[1], 100);
	assert_int_equal(s->of[2], 0);
	assert_int_equal(s->mapped.pieces.n, 1);
}

static void what_is_reserved_does_not_count(void **state)
{
	struct state *s = *state;

	put(s, 0, 1000, 1, false);
	assert_int_equal(s->of[1], 0);
	mapped_protect(&s->mapped, 100, 300, 2, true, &s->changes);
	add_up(s);
	assert_int_equal(s->of[2], 200);
	mapped_protect(&s->mapped, 0, 150, 3, false, &s->changes);
	add_up(s);
	assert_int_equal(s->of[2], 150);
	/* Access that was there stays with who has it. */
	mapped_protect(&s->mapped, 150, 400, 4, true, &s->changes);
	add_up(s);
	assert_int_equal(s->of[2], 150);
	assert_int_equal(s->of[4], 100);
	mapped_take_all(&s->mapped, &s->changes);
	add_up(s);
	for (size_t i = 0; i < OWNERS; i++)
		assert_int_equal(s->of[i], 0);
}

static void the_heap_ends_elsewhere(void **state)
{
	struct state *s = *state;

	assert_true(mapped_break(&s->mapped, 5000, 1, &s->changes)); /* where it is, no more */
	assert_true(mapped_break(&s->mapped, 7000, 1, &s->changes));
	assert_true(mapped_break(&s->mapped, 8000, 2, &s->changes));
	add_up(s);
	assert_int_equal(s->of[1], 2000);
	assert_int_equal(s->of[2], 1000);
	assert_true(mapped_break(&s->mapped, 6500, 3, &s->changes));
	add_up(s);
	assert_int_equal(s->of[1], 1500);
	assert_int_equal(s->of[2], 0);
	assert_true(mapped_break(&s->mapped, 1000, 3, &s->changes)); /* below where it began */
	add_up(s);
	assert_int_equal(s->of[1], 0);
}

/* The owner of each page, less if it is only reserved; 0: nothing is mapped. */
static int model[PAGES];

static void check_model(const struct state *s)
{
	int64_t of[OWNERS] = {0};

	for (int i = 0; i < PAGES; i++)
		if (model[i] > 0)
			of[model[i]] += PAGE;
	for (int i = 0; i < OWNERS; i++)
		assert_int_equal(s->of[i], of[i]);
	for (size_t i = 1; i < s->mapped.pieces.n; i++)
		assert_true(s->mapped.pieces.at[i].start >= s->mapped.pieces.at[i - 1].end);
	assert_true(s->mapped.pieces.n <= PAGES);
}

static void random_change(struct state *s)
{
	const int what = rand() % 3, first = rand() % PAGES, by = 1 + rand() % (OWNERS - 1);
	const int end = first + rand() % (PAGES - first + 1);
	const bool accessible = rand() % 3;

	if (what == 0)
		put(s, (uint64_t)first * PAGE, (uint64_t)end * PAGE, (uint32_t)by, accessible);
	else if (what == 1)
		(void)take(s, (uint64_t)first * PAGE, (uint64_t)end * PAGE);
	else
		mapped_protect(&s->mapped, (uint64_t)first * PAGE, (uint64_t)end * PAGE,
			       (uint32_t)by, accessible, &s->changes);
	add_up(s);
	for (int i = first; i < end; i++) {
		if (what == 1)
			model[i] = 0;
		else if (what == 0 || (model[i] && (model[i] > 0) != accessible))
			model[i] = accessible ? by : -by;
	}
}

static void as_a_model_of_pages(void **state)
{
	srand(1);
	memset(model, 0, sizeof(model));
	for (int i = 0; i < 20000; i++) {
		random_change(*state);
		check_model(*state);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(parts_are_unmapped, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_mapped_replaces, setup, teardown),
		cmocka_unit_test_setup_teardown(what_is_reserved_does_not_count, setup, teardown),
		cmocka_unit_test_setup_teardown(the_heap_ends_elsewhere, setup, teardown),
		cmocka_unit_test_setup_teardown(as_a_model_of_pages, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
