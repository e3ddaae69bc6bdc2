/* A timeline whose clock is wrong: events of one time, far in the future, lengths that cannot be,
 * threads and processes that end before they begin. Whatever reads and draws it stays bounded. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <errno.h>
#include <stdlib.h>
#include <cmocka.h>

#include "export/export.h"
#include "model/process.h"
#include "timeline/chart_make.h"
#include "timeline/own_work.h"

#include "report_doc.h"
#include "timeline_profile.h"
#include "walked_calls.h"

/* fontconfig keeps what it read of the fonts until the process ends. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libfontconfig";
}

/* --- helpers -------------------------------------------------------------------------------- */

#define FAR ((uint64_t)INT64_MAX - 1000)

/* What does not hold of the calls of one whose clock is right either must not be made worse. */
static void assert_bounded_calls(const struct profile *p, const struct calls *c)
{
	const uint64_t end_ns = calls_end_ns(p);

	vec_each (call, &c->at) {
		const struct call *around =
			call->parent == CALLS_NONE ? NULL : &c->at.at[call->parent];

		assert_true(call->start_ns <= call->end_ns && call->end_ns <= end_ns);
		assert_true(call->self_ns <= call_ns(call));
		assert_true(call->depth <= c->at.n && call->lane < c->lanes.n);
		assert_true(!around || (around->start_ns <= call->start_ns &&
					call->depth == around->depth + 1));
	}
}

static void assert_bounded_chart(const struct profile *p)
{
	struct call_chart chart = {0};
	struct call_choice c;
	struct call_sums sums;
	struct calls calls;

	assert_int_equal(call_choice_init(&c, p, &(struct selection){0}), 0);
	assert_int_equal(walked_calls_find(&c, &calls), 0);
	assert_bounded_calls(p, &calls);
	assert_int_equal(call_sums_find(&c, &sums), 0);
	assert_int_equal(chart_make(&chart, &c, &sums), 0);
	assert_true(chart.boxes.n <= 3 * CHART_CALLS_MOST);
	assert_true(chart.lanes.n <= CHART_LANES_MOST);
	assert_true(chart.marks.n <= 2 * CHART_MARKS_MOST);
	vec_each (box, &chart.boxes) {
		assert_true(box->lane < chart.lanes.n && box->row < CHART_DEPTH_MOST);
		assert_true(chart.from_ns <= box->start_ns && box->start_ns <= box->end_ns &&
			    box->end_ns <= chart.to_ns);
	}
	vec_each (mark, &chart.marks)
		assert_true(chart.from_ns <= mark->start_ns && mark->start_ns <= mark->end_ns &&
			    mark->end_ns <= chart.to_ns);
	call_chart_release(&chart);
	call_sums_release(&sums);
	calls_release(&calls);
	call_choice_release(&c);
}

/* What exports of timelines write; numbers of JSON that are times are none below 0. */
static void assert_exported(const struct profile *p)
{
	const struct selection selection = {0};

	for (size_t i = 0; exports[i]; i++) {
		char *text = NULL;
		size_t n = 0;
		FILE *out;

		if (exports[i]->reads != EXPORT_EVENTS)
			continue;
		out = open_memstream(&text, &n);
		assert_int_equal(exports[i]->write(&(struct export_input){.profile = p,
									  .selection = &selection,
									  .part = p},
						   out),
				 0);
		fclose(out);
		assert_true(n > 0);
		assert_null(strstr(text, "\"ts\":-"));
		assert_null(strstr(text, "\"dur\":-"));
		free(text);
	}
}

/* Takes @p over. */
static void assert_bounded(struct profile *p)
{
	struct report_doc r;
	struct own_span span;
	own_levels levels;

	assert_int_equal(profile_check(p), 0);
	profile_price(p, "timeline: recording a call", "ns", 100);
	profile_price(p, "timeline: recording a return", "ns", 50);
	assert_bounded_chart(p);
	assert_exported(p);
	span = own_work_span(p);
	own_work_of(p, p, &span, &levels);
	assert_true(levels.n <= p->threads.n * (OWN_WORK_MOST + 1));
	vec_each (l, &levels)
		assert_true(l->percent >= 0 && l->percent <= 100);
	vec_release(&levels);
	report_doc_init(&r, p, NULL,
			(const char *const[]){"timeline", "calls", "summary", "threads", NULL});
	report_doc_release(&r);
}

static struct call first_call(struct profile *p, const char *name, size_t calls)
{
	struct call found = {.lane = UINT32_MAX};
	struct calls c;

	calls_find(p, &c);
	assert_int_equal(c.at.n, calls);
	vec_each (call, &c.at) {
		const struct function *f = &p->functions.at[p->frames.at[call->frame].function];

		if (!strcmp(profile_text(p, f->name), name) && found.lane == UINT32_MAX)
			found = *call;
	}
	assert_int_not_equal(found.lane, UINT32_MAX);
	calls_release(&c);
	return found;
}

/* --- tests ---------------------------------------------------------------------------------- */

/* A call and its return, and others, all at one time. */
static void events_of_one_time(void **state)
{
	struct profile *p = timeline_profile();

	(void)state;
	for (int i = 0; i < 1000; i++) {
		timeline_call(p, 500, "f");
		timeline_call(p, 500, "g");
		timeline_return(p, 500, "g", 0);
		timeline_put(p, 500, 0, 0, EVENT_SWITCH_OUT, "", 'S');
		timeline_put(p, 500, 0, 0, EVENT_SWITCH_IN, "", 0);
		timeline_return(p, 500, "f", 0);
	}
	assert_int_equal(first_call(p, "g", 2000).depth, 1);
	assert_int_equal(first_call(p, "f", 2000).depth, 0);
	assert_bounded(p);
}

/* More calls at one time than a stack holds, none of which ends. */
static void calls_that_do_not_end(void **state)
{
	struct profile *p = timeline_profile();

	(void)state;
	for (int i = 0; i < 30000; i++)
		timeline_call(p, 500, "f");
	assert_int_equal(first_call(p, "f", 30000).end_ns, 1000);
	assert_bounded(p);
}

/* The return of a call whose clock ran backwards stands before the call. */
static void returns_before_their_calls(void **state)
{
	struct profile *p = timeline_profile();
	struct call f;

	(void)state;
	timeline_return(p, 100, "f", -50);
	timeline_return(p, 120, "g", INT64_MAX);
	timeline_call(p, 150, "f");
	timeline_return(p, 160, "h", INT64_MIN);
	timeline_call(p, 170, "g");
	f = first_call(p, "g", 5);
	assert_int_equal(f.start_ns, 0);
	assert_int_equal(f.end_ns, 120);
	assert_bounded(p);
}

/* One event of a clock that is centuries ahead, in the midst of a call, a wait and an exception. */
static void events_far_in_the_future(void **state)
{
	struct profile *p = timeline_known();
	struct call f;

	(void)state;
	timeline_call(p, 960, "late");
	timeline_put_text(p, 970, 1, EVENT_SWITCH_OUT, "", 'S', "futex");
	timeline_put(p, FAR, 1, 0, EVENT_SWITCH_IN, "", INT64_MAX)->value2 = INT64_MAX;
	timeline_put(p, FAR, 0, 0, EVENT_WAKEUP, "", 11)->value2 = 10;
	timeline_put(p, FAR + 1, 0, 0, EVENT_EXCEPTION, "_Unwind_RaiseException", EVENT_THROWN);
	timeline_return(p, FAR + 2, "late", INT64_MAX);
	timeline_call(p, FAR + 3, "later");
	timeline_return(p, FAR + 4, "later", 1);
	f = first_call(p, "late", 7);
	assert_int_equal(f.start_ns, 960);
	assert_int_equal(f.end_ns, FAR + 2);
	assert_bounded(p);
}

/* As far as a number goes; and farther, or out of order, no profile may be. */
static void the_latest_time_there_is(void **state)
{
	struct profile *p = timeline_known();

	(void)state;
	timeline_call(p, INT64_MAX - 2, "late");
	timeline_return(p, INT64_MAX - 1, "late", 1);
	assert_bounded(p);
	p = timeline_known();
	timeline_call(p, INT64_MAX, "late");
	assert_int_equal(profile_check(p), -EINVAL);
	timeline_last(p)->time_ns = 1;
	assert_int_equal(profile_check(p), -EINVAL);
	timeline_last(p)->time_ns = 1000;
	assert_int_equal(profile_check(p), 0);
	profile_free(p);
}

/* Threads that begin behind their events, and processes that end before they are born. */
static void lives_that_end_before_they_begin(void **state)
{
	struct profile *p = timeline_known();

	(void)state;
	p->threads.at[0].start_ns = FAR;
	p->threads.at[1].start_ns = 999;
	vec_each (t, &p->threads)
		t->born_ns = 900;
	vec_push(&p->processes,
		 ((struct process){.pid = 10, .born_ns = 900, .exec_ns = FAR, .end_ns = 1}));
	assert_bounded(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_of_one_time),
		cmocka_unit_test(calls_that_do_not_end),
		cmocka_unit_test(returns_before_their_calls),
		cmocka_unit_test(events_far_in_the_future),
		cmocka_unit_test(the_latest_time_there_is),
		cmocka_unit_test(lives_that_end_before_they_begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
