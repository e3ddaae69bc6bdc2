/* --async: who awaits a task of asyncio, as its caller. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "select/awaiters.h"

#include "export_text.h"
#include "script_profile.h"

/* As script_frame(); with a '~' before it, it is of what awaits a task. */
static uint32_t awaiting_frame(struct profile *p, const char *text, size_t n)
{
	struct frame frame;
	struct function f;

	if (!n || text[0] != '~')
		return script_frame(p, text, n);
	frame = p->frames.at[script_frame(p, text + 1, n - 1)];
	f = p->functions.at[frame.function];
	f.kind = KIND_AWAITER;
	frame.function = profile_function(p, &f);
	return profile_frame(p, &frame);
}

static void sample(struct profile *p, const char *stack, int64_t value)
{
	profile_sample(p, 10 * p->samples.n, 0, small_node_of(p, stack, awaiting_frame), &value);
}

/* The same coroutine runs for a task that main awaits, for one that nobody awaits, for one that two
 * await, and within an eager one; and the loop itself runs. */
static struct profile *tasks(void)
{
	struct profile *p = profile_new();

	profile_add_part(p, PART_SAMPLES);
	p->duration_ns = 1000;
	profile_metric(p, "cpu-clock", "ns", METRIC_SUM);
	small_thread(p, 10, 10, "python3", "python3");
	sample(p,
	       "loop@/l.py:1;step;~[task];~main@/a.py:7;~task worker 1;work@/a.py:2;deep@/a.py:3",
	       10);
	sample(p, "loop@/l.py:1;step;~[task];work@/a.py:2;deep@/a.py:3;read;vfs_read_k", 20);
	sample(p, "loop@/l.py:1;step;~[awaited by 2 tasks];~[task];work@/a.py:2", 5);
	sample(p, "loop@/l.py:1;step;~[task];main@/a.py:7;step;~task worker 1;work@/a.py:2", 3);
	sample(p, "loop@/l.py:1;~[task]", 2);
	sample(p, "loop@/l.py:1;wait", 7);
	profile_ledger(p, 0, LEDGER_TAKEN, "taken", 6);
	profile_ledger(p, 0, LEDGER_KEPT, "kept", 6);
	return p;
}

static void assert_stacks(bool shown, const char *text)
{
	struct profile *p = tasks();
	char *folded;

	assert_true(awaiters_are_in(p));
	assert_null(awaiters_missing(p));
	awaiters_show(p, shown);
	assert_int_equal(profile_check(p), 0);
	folded = export_text(export_find("folded"), p, true);
	assert_string_equal(folded, text);
	free(folded);
	profile_free(p);
}

static void as_they_were(void **state)
{
	(void)state;
	assert_stacks(false, "python3;loop 2\n"
			     "python3;loop;step;main;step;work 3\n"
			     "python3;loop;step;work 5\n"
			     "python3;loop;step;work;deep 10\n"
			     "python3;loop;step;work;deep;read;vfs_read_k_[k] 20\n"
			     "python3;loop;wait 7\n");
}

static void as_awaited(void **state)
{
	(void)state;
	assert_stacks(true, "python3 2\n"
			    "python3;[awaited by 2 tasks];work 5\n"
			    "python3;loop;wait 7\n"
			    "python3;main;task worker 1;work;deep 10\n"
			    "python3;task worker 1;work 3\n"
			    "python3;work;deep;read;vfs_read_k_[k] 20\n");
}

/* A coroutine that awaits is the same function as where it runs. */
static void one_function(void **state)
{
	struct profile *p = tasks();
	uint32_t found = 0;

	(void)state;
	awaiters_show(p, true);
	vec_each (s, &p->samples) {
		for (uint32_t node = s->node; node; node = p->nodes.at[node].parent) {
			const struct function *f =
				&p->functions.at[p->frames.at[p->nodes.at[node].frame].function];

			assert_int_not_equal(f->kind, KIND_AWAITER);
			if (!strcmp(profile_text(p, f->name), "main")) {
				assert_int_equal(f->kind, KIND_PYTHON);
				found++;
			}
		}
	}
	assert_int_equal(found, 1);
	profile_free(p);
}

static void none(void **state)
{
	struct profile *p = script_profile();
	const size_t n = p->nodes.n;

	(void)state;
	assert_false(awaiters_are_in(p));
	assert_string_equal(awaiters_missing(p), "captured without --async, or no task ran");
	profile_ledger(p, 0, LEDGER_NOTE, "no awaiting tasks: --async needs Python 3.14", 3);
	assert_string_equal(awaiters_missing(p), "--async needs Python 3.14");
	awaiters_show(p, true);
	assert_int_equal(p->nodes.n, n);
	profile_free(p);
}

static void kinds(void **state)
{
	(void)state;
	assert_true(frame_kind_is_script(KIND_AWAITER));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_they_were), cmocka_unit_test(as_awaited),
		cmocka_unit_test(one_function), cmocka_unit_test(none),
		cmocka_unit_test(kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
