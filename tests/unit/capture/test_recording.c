/* Recorded events are read in order of time, however their places are: also if clocks disagree. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/mem.h"
#include "base/str.h"
#include "timeline/recording.h"
#include "timeline/timeline_ledger.h"
#include "timeline/timeline_rows.h"

/* --- helpers -------------------------------------------------------------------------------- */

#define SLOTS (1u << 17)

static struct wire_event *slots;

/* The event of the next place, of thread @tid. */
static void record(uint64_t place, uint32_t tid, uint64_t time_ns)
{
	slots[place % SLOTS] = (struct wire_event){.serial = place + 1,
						   .time_ns = time_ns,
						   .pid = 10,
						   .tid = tid,
						   .kind = WIRE_EVENT_ENTRY};
}

/* Reads @n events; how many stand before earlier ones of their thread. */
static uint64_t backwards_of(uint64_t n, recorded_events *out)
{
	const struct recording r = {.slots = slots, .mask = SLOTS - 1};
	const bool known[1] = {true};
	struct recorded is = recording_read(&r, 0, n, 0, out);

	assert_int_equal(is.kept, n);
	assert_int_equal(out->n, n);
	for (size_t i = 1; i < out->n; i++) {
		const struct wire_event *a = &out->at[i - 1], *b = &out->at[i];

		assert_true(a->time_ns < b->time_ns ||
			    (a->time_ns == b->time_ns && a->serial < b->serial));
	}
	recorded_count(&is, out, known, 1);
	assert_int_equal(is.kept, n);
	return is.backwards;
}

static uint64_t backwards(uint64_t n)
{
	recorded_events events = {0};
	const uint64_t is = backwards_of(n, &events);

	vec_release(&events);
	return is;
}

static int begin(void **state)
{
	(void)state;
	slots = mem_zalloc(SLOTS, sizeof(*slots));
	return 0;
}

static int end(void **state)
{
	(void)state;
	free(slots);
	return 0;
}

/* --- tests ---------------------------------------------------------------------------------- */

static void in_order(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < SLOTS; i++)
		record(i, 11, 1000 + i / 3);
	assert_int_equal(backwards(SLOTS), 0);
}

/* A program took its time, and another thread's its place, before it took its own. */
static void some_are_interrupted(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < SLOTS; i++)
		record(i, 11 + i % 4, i % 4 == 3 ? 1000 + i - 3 : 1000 + i);
	assert_int_equal(backwards(SLOTS), 0);
}

/* The second half is an hour before the first. In order it stands before that, whose places are
 * lower. Each event is moved once, not by all that it stands behind. */
static void a_clock_that_is_set_back(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < SLOTS; i++)
		record(i, 11, i < SLOTS / 2 ? UINT64_C(3600000000000) + i : i);
	assert_int_equal(backwards(SLOTS), SLOTS / 2);
}

static void a_clock_that_runs_backwards(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < SLOTS; i++)
		record(i, 11, UINT64_MAX - i);
	assert_int_equal(backwards(SLOTS), SLOTS - 1);
}

/* Of two CPUs one is behind: of one thread each all is in order, and no more than that is known. */
static void threads_on_clocks_of_their_own(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < SLOTS; i++)
		record(i, 11 + i % 2, i % 2 ? i : 1000000000 + i);
	assert_int_equal(backwards(SLOTS), 0);
	for (uint64_t i = 0; i < SLOTS; i++)
		slots[i].tid = 11;
	assert_int_equal(backwards(SLOTS), SLOTS / 2);
}

/* A switch interrupts a program of the same thread that has no place yet. */
static void a_switch_in_a_program(void **state)
{
	(void)state;
	record(0, 11, 100);
	record(1, 11, 120);
	slots[1].kind = WIRE_EVENT_OUT;
	record(2, 11, 110);
	assert_int_equal(backwards(3), 0);
	slots[1].kind = WIRE_EVENT_ENTRY;
	assert_int_equal(backwards(3), 1);
}

static uint32_t thread_of(void *context, uint32_t pid, uint32_t tid)
{
	(void)context;
	(void)pid;
	return tid - 11;
}

static int64_t noted(const struct profile *p, const char *begins)
{
	vec_each (row, &p->ledger)
		if (str_starts(profile_text(p, row->name), begins))
			return row->count;
	return 0;
}

/* A call that returned before it began, as rows: both are there, in order, and it is said. */
static void rows_of_a_clock_that_runs_backwards(void **state)
{
	static const struct timeline_function functions[] = {{.frame = 1}};
	const struct timeline_options o = {0};
	struct profile *p = profile_new();
	recorded_events events = {0};
	struct recorded is = {.kept = 2};

	(void)state;
	record(0, 11, 2000);
	record(1, 11, 1500);
	slots[1].kind = WIRE_EVENT_EXIT;
	is.backwards = backwards_of(2, &events);
	assert_int_equal(timeline_rows(&(struct timeline_input){.functions = functions,
								.n_functions = 1,
								.thread = thread_of,
								.o = &o,
								.start_ns = 1800},
				       &events, p),
			 0);
	assert_int_equal(p->events.n, 2);
	assert_int_equal(p->events.at[0].event, EVENT_RETURN);
	assert_int_equal(p->events.at[0].time_ns, 0);
	assert_int_equal(p->events.at[1].event, EVENT_CALL);
	assert_int_equal(p->events.at[1].time_ns, 200);
	timeline_ledger(2, &is, p);
	assert_int_equal(noted(p, "events that stand before earlier ones of their thread"), 1);
	assert_int_equal(noted(p, "kept"), 2);
	profile_free(p);
	vec_release(&events);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(in_order),
		cmocka_unit_test(some_are_interrupted),
		cmocka_unit_test(a_clock_that_is_set_back),
		cmocka_unit_test(a_clock_that_runs_backwards),
		cmocka_unit_test(threads_on_clocks_of_their_own),
		cmocka_unit_test(a_switch_in_a_program),
		cmocka_unit_test(rows_of_a_clock_that_runs_backwards),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
