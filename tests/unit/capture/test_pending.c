/* Records of several rings come out in order of time, whole, each once. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/str.h"
#include "stack/pending.h"

struct word {
	uint64_t time_ns, value;
};

static void on_ring(void *context, const void *record)
{
	const struct word *w = record;

	str_addf(context, "r%lu=%lu ", w->time_ns, w->value);
}

static void on_side(void *context, const struct side_record *r)
{
	str_addf(context, "s%lu=%s ", r->time_ns, r->text);
}

static void add_ring(struct pending *p, uint64_t time_ns, uint64_t value)
{
	struct word w = {time_ns, value};

	pending_ring(p, &w, sizeof(w), time_ns);
}

static void add_side(struct pending *p, uint64_t time_ns, const char *text)
{
	vec_push(&p->side, ((struct side_record){.time_ns = time_ns, .text = mem_strdup(text)}));
	pending_side(p, p->side.n - 1);
}

static void takes_in_order_of_time(void **state)
{
	struct pending p = {0};
	struct str got = {0};
	struct pending_handlers h = {on_ring, on_side, &got, NULL};

	(void)state;
	add_ring(&p, 30, 1);
	add_ring(&p, 10, 2);
	add_side(&p, 20, "mmap");
	add_side(&p, 5, "fork");
	pending_take(&p, UINT64_MAX, &h);
	assert_string_equal(str_text(&got), "s5=fork r10=2 s20=mmap r30=1 ");
	pending_take(&p, UINT64_MAX, &h);
	assert_string_equal(str_text(&got), "s5=fork r10=2 s20=mmap r30=1 ");
	str_release(&got);
	pending_release(&p);
}

/* The second sample hit first, and its stack was sent by the first. */
static void no_sample_comes_before_its_stack(void **state)
{
	struct pending p = {0};
	struct str got = {0};
	struct pending_handlers h = {on_ring, on_side, &got, NULL};
	const struct word ring[] = {{20, 0}, {20, 1}, {12, 2}, {9, 0}, {9, 3}, {30, 4}};
	uint64_t stack_ns = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(ring) / sizeof(*ring); i++) {
		const struct word w = ring[i];

		pending_ring(&p, &w, sizeof(w), pending_due_ns(&stack_ns, w.value == 0, w.time_ns));
	}
	add_side(&p, 25, "exit");
	pending_take(&p, UINT64_MAX, &h);
	assert_string_equal(str_text(&got), "r9=0 r20=0 r20=1 r12=2 r9=3 s25=exit r30=4 ");
	str_release(&got);
	pending_release(&p);
}

static void keeps_what_is_later(void **state)
{
	struct pending p = {0};
	struct str got = {0};
	struct pending_handlers h = {on_ring, on_side, &got, NULL};

	(void)state;
	add_ring(&p, 40, 4);
	add_side(&p, 50, "exit");
	add_ring(&p, 10, 1);
	add_side(&p, 20, "comm");
	pending_take(&p, 30, &h);
	assert_string_equal(str_text(&got), "r10=1 s20=comm ");
	add_ring(&p, 45, 5);
	pending_take(&p, UINT64_MAX, &h);
	assert_string_equal(str_text(&got), "r10=1 s20=comm r40=4 r45=5 s50=exit ");
	str_release(&got);
	pending_release(&p);
}

static void equal_times_keep_arrival(void **state)
{
	struct pending p = {0};
	struct str got = {0};
	struct pending_handlers h = {on_ring, on_side, &got, NULL};

	(void)state;
	for (uint64_t i = 0; i < 20; i++)
		add_ring(&p, 7, i);
	pending_take(&p, 8, &h);
	assert_string_equal(str_text(&got),
			    "r7=0 r7=1 r7=2 r7=3 r7=4 r7=5 r7=6 r7=7 r7=8 r7=9 r7=10 r7=11 r7=12 "
			    "r7=13 r7=14 r7=15 r7=16 r7=17 r7=18 r7=19 ");
	str_release(&got);
	pending_release(&p);
}

/* Sets *stop with the second record. */
struct stopping {
	struct str got;
	bool stop;
};

static void on_ring_stop(void *context, const void *record)
{
	struct stopping *s = context;

	on_ring(&s->got, record);
	s->stop = s->got.n > strlen("r10=1 ");
}

static void stops_and_keeps_the_rest(void **state)
{
	struct pending p = {0};
	struct stopping s = {0};
	struct pending_handlers h = {on_ring_stop, on_side, &s, &s.stop};

	(void)state;
	for (uint64_t i = 1; i < 5; i++)
		add_ring(&p, i * 10, i);
	pending_take(&p, UINT64_MAX, &h);
	assert_string_equal(str_text(&s.got), "r10=1 r20=2 ");
	h.stop = NULL;
	pending_take(&p, UINT64_MAX, &h);
	assert_string_equal(str_text(&s.got), "r10=1 r20=2 r30=3 r40=4 ");
	str_release(&s.got);
	pending_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_in_order_of_time),
		cmocka_unit_test(no_sample_comes_before_its_stack),
		cmocka_unit_test(keeps_what_is_later),
		cmocka_unit_test(equal_times_keep_arrival),
		cmocka_unit_test(stops_and_keeps_the_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
