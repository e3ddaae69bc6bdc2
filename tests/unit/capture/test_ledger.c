/* The ledger of a profile adds up, whatever the kernel's counters were when they were read. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "model/check.h"
#include "capture/account.h"

static int64_t sum(const struct profile *p, enum ledger_class class)
{
	int64_t n = 0;

	for (size_t i = 0; i < p->ledger.n; i++)
		n += p->ledger.at[i].class == class ? p->ledger.at[i].count : 0;
	return n;
}

static struct profile *new_profile(int64_t samples)
{
	struct profile *p = profile_new();
	int64_t one = 1;

	profile_metric(p, "raw_syscalls:sys_enter", "events", METRIC_COUNT);
	for (int64_t i = 0; i < samples; i++)
		profile_sample(p, (uint64_t)i, profile_thread(p, &(struct thread){.pid = 1}), 0,
			       &one);
	return p;
}

static void check_ledger(const struct profile *p, int64_t samples)
{
	assert_int_equal(sum(p, LEDGER_TAKEN), sum(p, LEDGER_KEPT) + sum(p, LEDGER_LOST));
	assert_int_equal(sum(p, LEDGER_KEPT), samples);
	for (size_t i = 0; i < p->ledger.n; i++)
		assert_true(p->ledger.at[i].count >= 0);
	assert_int_equal(profile_check(p), 0);
}

/* At the end of the capture, or (@running) of a window: returns what is lost. */
static int64_t settle_when(const uint64_t counters[WIRE_COUNTERS], int64_t samples, bool running)
{
	struct profile *p = new_profile(samples);
	int64_t lost;

	ledger_outcomes(p, 0, counters, running);
	account_settle(p, &(struct ledger_past){0}, running);
	check_ledger(p, samples);
	lost = sum(p, LEDGER_LOST);
	profile_free(p);
	return lost;
}

static void settle(const uint64_t counters[WIRE_COUNTERS], int64_t samples)
{
	settle_when(counters, samples, true);
	settle_when(counters, samples, false);
}

/* A sample came between the reading of one counter and the next. */
static void counters_that_grow_are_no_negative_row(void **state)
{
	uint64_t ahead[WIRE_COUNTERS] = {[WIRE_TAKEN] = 12, [WIRE_KEPT] = 10};
	uint64_t behind[WIRE_COUNTERS] = {
		[WIRE_TAKEN] = 10, [WIRE_KEPT] = 11, [WIRE_LOST_RING] = 1};

	(void)state;
	settle(ahead, 10);
	settle(behind, 11);
}

/* A sample is sent before it is counted as kept, and may be read in between. */
static void samples_that_are_not_counted_yet_are_kept(void **state)
{
	uint64_t counters[WIRE_COUNTERS] = {[WIRE_TAKEN] = 10, [WIRE_KEPT] = 9};

	(void)state;
	settle(counters, 10);
	settle(counters, 12);
}

/* The next window reads them; after the last one nobody does. */
static void samples_that_are_not_read_yet_are_of_the_next_window(void **state)
{
	uint64_t sent[WIRE_COUNTERS] = {[WIRE_TAKEN] = 10, [WIRE_KEPT] = 10};
	uint64_t under_way[WIRE_COUNTERS] = {[WIRE_TAKEN] = 10, [WIRE_KEPT] = 7};

	(void)state;
	assert_int_equal(settle_when(sent, 7, true), 0);
	assert_int_equal(settle_when(sent, 7, false), 3);
	assert_int_equal(settle_when(under_way, 7, true), 0);
	assert_int_equal(settle_when(under_way, 7, false), 3);
}

static void any_counters_add_up(void **state)
{
	(void)state;
	srand(1);
	for (int i = 0; i < 1000; i++) {
		uint64_t counters[WIRE_COUNTERS];

		for (int k = 0; k < WIRE_COUNTERS; k++)
			counters[k] = (uint64_t)(rand() % 4);
		settle(counters, rand() % 4);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters_that_grow_are_no_negative_row),
		cmocka_unit_test(samples_that_are_not_counted_yet_are_kept),
		cmocka_unit_test(samples_that_are_not_read_yet_are_of_the_next_window),
		cmocka_unit_test(any_counters_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
