/*
 * What exports of timelines write: protocol buffers field by field; slices that nest on each
 * track. What readers of the formats make of whole profiles is in tests/cli/traces.test, of those
 * that this one writes:
 *
 *	test_trace_exports FOLDER		timeline.h5: timeline_of_all(), and what is added
 *below test_trace_exports FILE EVENTS SEED	random calls of eight threads; FILE.truth has each
 *of them: pid, tid, track, start, end, depth, name
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "base/str.h"
#include "export/protobuf.h"
#include "export/trace_marks.h"
#include "export/trace_tracks.h"
#include "store/store.h"
#include "timeline/own_work.h"
#include "timeline/timed_calls.h"
#include "timeline_profile.h"

/* --- protocol buffers ------------------------------------------------------------------------- */

static void assert_bytes(struct protobuf *m, const char *bytes, size_t n)
{
	assert_int_equal(m->bytes.n, n);
	assert_memory_equal(m->bytes.at, bytes, n);
	protobuf_clear(m);
}
#define ASSERT_BYTES(m, bytes) assert_bytes(m, bytes, sizeof(bytes) - 1)

/* The examples of the encoding's description, and bounds of numbers. */
static void protobuf_is_encoded(void **state)
{
	struct protobuf m = {0}, inner = {0};

	(void)state;
	protobuf_uint(&m, 1, 150);
	ASSERT_BYTES(&m, "\x08\x96\x01");
	protobuf_uint(&m, 16, 0);
	ASSERT_BYTES(&m, "\x80\x01\x00");
	protobuf_uint(&m, 1, UINT64_MAX);
	ASSERT_BYTES(&m, "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
	protobuf_text(&m, 2, "testing");
	ASSERT_BYTES(&m, "\x12\x07testing");
	protobuf_text(&m, 2, "a\xff");
	ASSERT_BYTES(&m, "\x12\x04"
			 "a\xef\xbf\xbd");
	protobuf_fixed64(&m, 47, 0x0102030405060708);
	ASSERT_BYTES(&m, "\xf9\x02\x08\x07\x06\x05\x04\x03\x02\x01");
	protobuf_double(&m, 1, 1.0);
	ASSERT_BYTES(&m, "\x09\x00\x00\x00\x00\x00\x00\xf0\x3f");
	protobuf_message(&m, 3, &inner);
	protobuf_uint(&inner, 1, 150);
	protobuf_message(&m, 3, &inner);
	ASSERT_BYTES(&m, "\x1a\x00\x1a\x03\x08\x96\x01");
	protobuf_release(&m);
	protobuf_release(&inner);
}

/* --- tracks ----------------------------------------------------------------------------------- */

struct told {
	const struct profile *p;
	struct str text;
};

/* What is told of each track, in the order in which they begin. */
struct told_tracks {
	const struct profile *p;
	struct str text[8];
	struct track track[8];
	size_t n;
};

static void tell_track(void *data, const struct track *t)
{
	struct told_tracks *told = data;
	_free_ char *name = track_name(t);

	assert_true(told->n < 8);
	told->track[told->n] = *t;
	str_addf(&told->text[told->n++], "%u%s%s", t->thread, name ? " " : "", name ? name : "");
}

static struct str *text_of(struct told_tracks *told, const struct track *t)
{
	for (size_t i = 0; i < told->n; i++)
		if (told->track[i].lane == t->lane && told->track[i].cut == t->cut)
			return &told->text[i];
	fail_msg("the track of a slice was not told");
	return NULL;
}

static const char *name_of(const struct profile *p, const struct track_slice *s)
{
	return profile_text(p, p->functions.at[p->frames.at[s->call->call.frame].function].name);
}

static void tell_begin(void *data, const struct track_slice *s)
{
	struct told_tracks *told = data;

	str_addf(text_of(told, &s->track), " %s%llu(", name_of(told->p, s),
		 (unsigned long long)s->start_ns);
}

static void tell_end(void *data, const struct track_slice *s)
{
	struct told_tracks *told = data;
	const char *by = track_ended_by(&s->call->call);

	str_addf(text_of(told, &s->track), ")%llu%s", (unsigned long long)s->end_ns, by ? by : "");
}

static void assert_told(struct profile *p, const char *text)
{
	static const struct track_writer writer = {tell_track, tell_begin, tell_end};
	struct told_tracks told = {.p = p};
	struct tracks *tracks = tracks_new(p, &writer, &told);
	struct str all = {0};

	assert_int_equal(profile_check(p), 0);
	for (uint32_t i = 0; i < p->events.n; i++)
		tracks_take(tracks, &p->events.at[i], i, p->events.at[i].time_ns);
	tracks_finish(tracks, calls_end_ns(p));
	for (size_t i = 0; i < told.n; i++) {
		str_addf(&all, "%s%s", i ? " | " : "", str_text(&told.text[i]));
		str_release(&told.text[i]);
	}
	assert_string_equal(str_text(&all), text);
	str_release(&all);
	profile_free(p);
}

static void slices_nest_on_each_track(void **state)
{
	(void)state;
	assert_told(timeline_of_all(),
		    "0 f10( g20( f30()40)50 h55()57)60"
		    " outer70( inner75( deep80()90exception)90exception)95"
		    " jump100( left105()120longjmp)120 long200()1000unknown: not in the timeline"
		    " | 1 k31()35 | 0 coroutine 7 co300()400"
		    " | 1 before the timeline older0( newer5()20)30");
}

/* Of calls that follow each other within a nanosecond none is in the other; of those that nest,
 * the inner one is. */
static void calls_of_one_moment(void **state)
{
	struct profile *p = timeline_profile();

	(void)state;
	timeline_put(p, 10, 0, 0, EVENT_CALL, "f", 0);
	timeline_put(p, 20, 0, 0, EVENT_CALL, "g", 0);
	timeline_put(p, 20, 0, 0, EVENT_RETURN, "g", 0);
	timeline_put(p, 20, 0, 0, EVENT_RETURN, "f", 10);
	timeline_put(p, 20, 0, 0, EVENT_CALL, "h", 0);
	timeline_put(p, 20, 0, 0, EVENT_RETURN, "h", 0);
	timeline_put(p, 30, 0, 0, EVENT_CALL, "outer", 0);
	timeline_put(p, 31, 0, 0, EVENT_CALL, "cut", 0);
	timeline_put(p, 40, 0, 0, EVENT_RETURN, "outer", 10);
	timeline_put(p, 40, 0, 0, EVENT_CALL, "next", 0);
	timeline_put(p, 50, 0, 0, EVENT_RETURN, "next", 10);
	assert_told(p, "0 f10( g20()20)20 h20()20 outer30( cut31()40unknown: not in the timeline)40"
		       " next40()50");
}

/* Lengths that contradict each other: what began before ends with what is around it. */
static void what_began_before_nests_too(void **state)
{
	struct profile *p = timeline_profile();

	(void)state;
	timeline_put(p, 20, 0, 0, EVENT_RETURN, "a", 12);
	timeline_put(p, 30, 0, 0, EVENT_RETURN, "b", 20);
	assert_told(p, "0 before the timeline a8( b10()20)20");
}

/* --- marks ------------------------------------------------------------------------------------ */

static void tell_mark(void *data, const struct mark *m)
{
	static const char kinds[] = {'i', '>', '<', '(', ')', '=', '[', ']'};
	struct told *told = data;

	str_addf(&told->text, "%s%c%llu@%u", told->text.n ? "; " : "", kinds[m->kind],
		 (unsigned long long)m->time_ns, m->thread);
	if (m->kind == MARK_WAIT_END || m->kind == MARK_SAVE_END)
		str_addf(&told->text, " since %llu", (unsigned long long)m->since_ns);
	else if (m->kind == MARK_LIVE)
		str_addf(&told->text, " %lld", (long long)m->value);
	else
		str_addf(&told->text, " %s %s", m->name, m->detail);
	if (m->flow)
		str_addf(&told->text, " flow %u", m->flow);
}

static void assert_marks(struct profile *p, const char *text)
{
	_free_ uint32_t *first = threads_first(p, NULL);
	struct told told = {.p = p};
	struct marks *marks;

	assert_int_equal(profile_check(p), 0);
	marks = marks_new(p, first, tell_mark, &told);
	vec_each (e, &p->events)
		marks_take(marks, e);
	(void)marks_finish(marks);
	assert_string_equal(str_text(&told.text), text);
	str_release(&told.text);
	profile_free(p);
}

static void marks_are_in_order(void **state)
{
	(void)state;
	assert_marks(timeline_of_all(),
		     "i85@0 exception thrown _Unwind_RaiseException; "
		     "i92@0 exception caught __cxa_begin_catch; =130@0 64; =131@1 100; =132@0 36; "
		     "(140@1 lock lock; >160@0 wakeup  flow 1; )170@1 since 140; "
		     "<170@1 runs  flow 1; i350@0 trigger long>100ns; i900@0 lost ");
}

/* A thread that is two rows is one; a wait without an end lasts; an end without a wait is none. */
static void waits_without_an_end(void **state)
{
	struct profile *p = timeline_profile();

	(void)state;
	small_thread(p, 10, 11, "renamed", "prog");
	timeline_put(p, 5, 1, 0, EVENT_SWITCH_IN, "", 5);
	timeline_put(p, 10, 1, 0, EVENT_SWITCH_OUT, "", 0);
	timeline_put(p, 20, 2, 0, EVENT_SWITCH_IN, "", 10);
	timeline_put(p, 30, 0, 0, EVENT_SWITCH_OUT, "", 0);
	assert_marks(p, "(10@1 off CPU ; )20@1 since 10; (30@0 off CPU ; )1000@0 since 30");
}

/* What the profiler saves ends with the next that it saves, or with the timeline; an end alone is
 * none. */
static void saves_of_events(void **state)
{
	struct profile *p = timeline_profile();

	(void)state;
	timeline_put(p, 5, 0, 0, EVENT_PROFILER_RETURN, "", 0);
	timeline_put(p, 10, 0, 0, EVENT_PROFILER_CALL, "", 7);
	timeline_put(p, 20, 1, 0, EVENT_PROFILER_CALL, "", 8);
	timeline_put(p, 30, 0, 0, EVENT_PROFILER_RETURN, "", 0);
	timeline_put(p, 40, 1, 0, EVENT_PROFILER_CALL, "", 9);
	assert_marks(p, "[10@0 events saved ; [20@1 events saved ; ]30@0 since 10; ]40@1 since 20; "
			"[40@1 events saved ; ]1000@1 since 40");
}

/* --- the profiler's own work ------------------------------------------------------------------ */

static void assert_work(struct profile *p, const char *text)
{
	struct str told = {0};
	const struct own_span span = own_work_span(p);
	own_levels levels;

	assert_int_equal(profile_check(p), 0);
	own_work_of(p, p, &span, &levels);
	vec_each (l, &levels)
		str_addf(&told, "%s%u@%llu %g", told.n ? "; " : "", l->thread,
			 (unsigned long long)l->time_ns, l->percent);
	assert_string_equal(str_text(&told), text);
	str_release(&told);
	vec_release(&levels);
	profile_free(p);
}

/* From 5 to 10,005, which makes parts of 10 ns. */
static struct profile *profile_of_work(double call, double back)
{
	struct profile *p = timeline_profile();

	p->duration_ns = 10005;
	profile_price(p, "timeline: recording a call", "ns", call);
	profile_price(p, "timeline: recording a return", "ns", back);
	return p;
}

/* A part that is full, ones in part; a thread of two names; a thread without work. */
static void work_over_time(void **state)
{
	struct profile *p = profile_of_work(25, 1.5);

	(void)state;
	small_thread(p, 10, 11, "renamed", "prog");
	small_thread(p, 10, 12, "idle", "prog");
	timeline_put(p, 5, 3, 0, EVENT_TRIGGER, "", 0);
	timeline_put(p, 10, 0, 0, EVENT_CALL, "f", 0);
	timeline_put(p, 100, 1, 0, EVENT_RETURN, "f", 0);
	timeline_put(p, 106, 2, 0, EVENT_RETURN, "f", 0);
	timeline_put(p, 9999, 2, 0, EVENT_RETURN, "f", 0);
	assert_work(p, "0@5 50; 0@15 100; 0@35 0; 1@5 0; 1@95 15; 1@115 0; 1@9995 15");
}

/* Events nearer to each other than their price: never more than all of the time, and what is
 * behind the end is none. */
static void work_piles_up(void **state)
{
	struct profile *p = profile_of_work(20, 20);

	(void)state;
	timeline_call(p, 5, "f");
	timeline_return(p, 6, "f", 1);
	timeline_call(p, 7, "f");
	timeline_return(p, 9990, "f", 1);
	assert_work(p, "0@5 100; 0@65 0; 0@9985 50; 0@9995 100");
}

static void work_of_many_events_is_bounded(void **state)
{
	struct profile *p = profile_of_work(1, 2);
	struct own_span span;
	own_levels levels;

	(void)state;
	for (uint32_t i = 0; i < 10000; i++)
		if (i % 20 < 10)
			timeline_call(p, 5 + i, "f");
	span = own_work_span(p);
	own_work_of(p, p, &span, &levels);
	assert_int_equal(levels.n, OWN_WORK_MOST);
	vec_release(&levels);
	profile_free(p);
}

/* Of what others recorded nobody knows. */
static void work_without_prices(void **state)
{
	(void)state;
	assert_work(timeline_of_all(), "");
	assert_work(profile_of_work(1, 1), "");
}

/* --- profiles for other programs -------------------------------------------------------------- */

#define THREADS	   8
#define FUNCTIONS  50
#define DEPTH_MOST 20

struct random_stack {
	uint64_t start[DEPTH_MOST];
	uint32_t function[DEPTH_MOST], n;
};

static uint64_t chance(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005 + 1442695040888963407;
	return *seed >> 33;
}

static void return_one(struct profile *p, FILE *truth, struct random_stack *s, uint32_t thread,
		       uint64_t now)
{
	const uint32_t i = --s->n;
	_free_ char *name = mem_printf("function %u", s->function[i]);

	timeline_put(p, now, thread, 0, EVENT_RETURN, name, (int64_t)(now - s->start[i]));
	fprintf(truth, "10\t%u\t\t%llu\t%llu\t%u\t%s\n", 10 + thread,
		(unsigned long long)s->start[i], (unsigned long long)now, i, name);
}

static void call_one(struct profile *p, struct random_stack *s, uint32_t thread, uint64_t now,
		     uint32_t function)
{
	_free_ char *name = mem_printf("function %u", function);

	timeline_put(p, now, thread, 0, EVENT_CALL, name, 0);
	s->start[s->n] = now;
	s->function[s->n++] = function;
}

/* Times differ by some 100 ns mostly, and now and then by seconds. */
static struct profile *random_timeline(FILE *truth, size_t events, uint64_t seed)
{
	struct profile *p = timeline_profile();
	static struct random_stack stacks[THREADS];
	uint64_t now = 0;

	for (uint32_t i = 2; i < THREADS; i++)
		small_thread(p, 10, 10 + i, "worker", "prog");
	while (p->events.n < events) {
		const uint32_t thread = (uint32_t)(chance(&seed) % THREADS);
		struct random_stack *s = &stacks[thread];

		now += chance(&seed) % 10000 ? 1 + chance(&seed) % 200 : chance(&seed);
		if (s->n && (s->n == DEPTH_MOST || chance(&seed) % 2))
			return_one(p, truth, s, thread, now);
		else
			call_one(p, s, thread, now, (uint32_t)(chance(&seed) % FUNCTIONS));
	}
	for (uint32_t i = 0; i < THREADS; i++)
		while (stacks[i].n)
			return_one(p, truth, &stacks[i], i, ++now);
	p->duration_ns = (int64_t)now + 1;
	return p;
}

static int save(const char *path, struct profile *p)
{
	int rc = store_save(path, true, p);

	profile_free(p);
	return rc ? 1 : 0;
}

static int save_random(const char *path, const char *events, const char *seed)
{
	_free_ char *with = mem_printf("%s.truth", path);
	FILE *truth = fopen(with, "we");
	int rc;

	if (!truth)
		return 1;
	rc = save(path, random_timeline(truth, strtoul(events, NULL, 10), strtoul(seed, NULL, 10)));
	return fclose(truth) ? 1 : rc;
}

/* With what recording cost, and events that were saved. */
static int save_all(const char *folder)
{
	_free_ char *path = mem_printf("%s/timeline.h5", folder);
	struct profile *p = timeline_of_all();

	profile_price(p, "timeline: recording a call", "ns", 2);
	profile_price(p, "timeline: recording a return", "ns", 1);
	timeline_put(p, 950, 1, 0, EVENT_PROFILER_CALL, "", 34);
	timeline_put(p, 970, 1, 0, EVENT_PROFILER_RETURN, "", 0);
	return save(path, p);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(protobuf_is_encoded),
		cmocka_unit_test(slices_nest_on_each_track),
		cmocka_unit_test(calls_of_one_moment),
		cmocka_unit_test(what_began_before_nests_too),
		cmocka_unit_test(marks_are_in_order),
		cmocka_unit_test(waits_without_an_end),
		cmocka_unit_test(saves_of_events),
		cmocka_unit_test(work_over_time),
		cmocka_unit_test(work_piles_up),
		cmocka_unit_test(work_of_many_events_is_bounded),
		cmocka_unit_test(work_without_prices),
	};

	if (argc == 4)
		return save_random(argv[1], argv[2], argv[3]);
	if (argc == 2)
		return save_all(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
