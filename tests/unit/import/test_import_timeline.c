/*
 * Timelines of other tools' traces: calls of Chrome's JSON and of Perfetto's format, and of the
 * table of events as CSV. What eprof exports comes back as the same calls.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "base/str.h"
#include "export/export.h"
#include "export/protobuf.h"
#include "imported.h"
#include "timeline/timed_calls.h"
#include "timeline_profile.h"

/* --- what is compared ------------------------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Calls, one a line, in an order of their own: "11/10 7 f 10-60 1 2 n=3": thread, coroutine, name,
 * times, depth, flags, arguments. */
static char *calls_text(const struct profile *p)
{
	VEC(char *) lines = {0};
	struct str s = {0};
	struct calls calls;

	calls_find(p, &calls);
	vec_each (c, &calls.at) {
		const struct call_lane *lane = &calls.lanes.at[c->lane];
		const struct thread *t = &p->threads.at[lane->thread];
		const struct function *f = &p->functions.at[p->frames.at[c->frame].function];
		const uint32_t argument =
			c->begin == CALLS_NONE ? 0 : p->events.at[c->begin].argument;

		vec_push(&lines,
			 mem_printf("%u/%u %u %s %llu-%llu %u %u %s\n", t->pid, t->tid,
				    lane->coroutine, profile_text(p, f->name),
				    (unsigned long long)c->start_ns, (unsigned long long)c->end_ns,
				    c->depth, c->flags, profile_text(p, argument)));
	}
	vec_sort(&lines, by_text);
	vec_each (line, &lines) {
		str_add(&s, *line);
		free(*line);
	}
	vec_release(&lines);
	calls_release(&calls);
	return str_steal(&s);
}

static void assert_calls(struct profile *p, const char *text)
{
	_free_ char *calls = calls_text(p);

	assert_true(profile_has(p, PART_EVENTS));
	assert_string_equal(calls, text);
}

static size_t count_events(const struct profile *p, uint32_t kind)
{
	size_t n = 0;

	vec_each (e, &p->events)
		n += e->event == kind;
	return n;
}

/* The event of that kind; there is one. */
static const struct timed_event *the_event(const struct profile *p, uint32_t kind)
{
	assert_int_equal(count_events(p, kind), 1);
	vec_each (e, &p->events)
		if (e->event == kind)
			return e;
	return NULL;
}

/* --- there and back --------------------------------------------------------------------------- */

static struct profile *there_and_back(const struct profile *p, const char *format,
				      const char *import)
{
	const struct selection selection = {0};
	const struct export_input in = {.profile = p, .selection = &selection, .part = p};
	struct profile *back;
	char *bytes = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&bytes, &n);

	assert_int_equal(export_find(format)->write(&in, out), 0);
	fclose(out);
	back = imported_bytes(import, bytes, n);
	free(bytes);
	return back;
}

static void perfetto_comes_back(void **state)
{
	struct profile *p = timeline_of_all(), *back;
	_free_ char *calls = NULL;
	const struct timed_event *e;

	(void)state;
	/* The export's time begins with the capture, the import's with the first event. */
	timeline_put(p, 0, 1, 0, EVENT_TRIGGER, "", 0);
	memmove(p->events.at + 1, p->events.at, (p->events.n - 1) * sizeof(*p->events.at));
	p->events.at[0] = (struct timed_event){.thread = 1, .event = EVENT_TRIGGER};
	assert_int_equal(profile_check(p), 0);
	back = there_and_back(p, "perfetto", "perfetto");
	calls = calls_text(p);
	assert_calls(back, calls);
	assert_int_equal(count_events(back, EVENT_EXCEPTION), 5);
	e = the_event(back, EVENT_SWITCH_OUT);
	assert_int_equal(e->time_ns, 140);
	assert_string_equal(profile_text(back, e->argument), "lock");
	assert_int_equal(the_event(back, EVENT_SWITCH_IN)->value1, 30);
	e = the_event(back, EVENT_WAKEUP);
	assert_int_equal(e->value1, 11);
	assert_int_equal(e->value2, 10);
	profile_free(back);
	profile_free(p);
}

static void chrome_comes_back(void **state)
{
	struct profile *p = timeline_profile(), *back;
	_free_ char *calls = NULL;

	(void)state;
	timeline_put(p, 0, 0, 0, EVENT_CALL, "f", 0);
	timeline_put(p, 1001, 1, 0, EVENT_CALL, "k", 0);
	timeline_put(p, 2000, 0, 0, EVENT_CALL, "g", 0);
	timeline_put(p, 3003, 0, 0, EVENT_RETURN, "g", 1003);
	timeline_put(p, 4000, 1, 0, EVENT_RETURN, "k", 2999);
	timeline_put(p, 4000, 0, 0, EVENT_RETURN, "f", 4000);
	calls = calls_text(p);
	back = there_and_back(p, "chrome", "trace-event");
	assert_calls(back, calls);
	profile_free(back);
	profile_free(p);
}

/* Coroutines, waits, arguments and how calls ended; instants are not read. */
static void all_of_chrome_comes_back(void **state)
{
	struct profile *p = timeline_of_all(), *back;
	_free_ char *calls = calls_text(p);
	const struct timed_event *e;

	(void)state;
	timeline_put(p, 950, 1, 0, EVENT_PROFILER_CALL, "", 34);
	timeline_put(p, 970, 1, 0, EVENT_PROFILER_RETURN, "", 0);
	back = there_and_back(p, "chrome", "trace-event");
	assert_calls(back, calls);
	assert_int_equal(back->threads.n, 2);
	e = the_event(back, EVENT_SWITCH_OUT);
	assert_int_equal(e->time_ns, 140);
	assert_int_equal(back->threads.at[e->thread].tid, 11);
	assert_string_equal(profile_text(back, e->argument), "lock");
	assert_int_equal(the_event(back, EVENT_SWITCH_IN)->value1, 30);
	e = the_event(back, EVENT_PROFILER_CALL);
	assert_int_equal(e->value1, 34);
	assert_int_equal(the_event(back, EVENT_PROFILER_RETURN)->time_ns, 970);
	profile_free(back);
	profile_free(p);
}

/* Another program's thread may be called so. */
static void tracks_are_those_of_eprof_alone(void **state)
{
	struct profile *p = imported("trace-event", "{\"traceEvents\":[{\"ph\":\"M\",\"pid\":1,"
						    "\"tid\":1073741824,\"name\":\"thread_name\","
						    "\"args\":{\"name\":\"main 1: waits\"}},"
						    "{\"ph\":\"X\",\"pid\":1,\"tid\":1073741824,"
						    "\"ts\":0,\"dur\":2,\"name\":\"off CPU\"}]}");

	(void)state;
	assert_calls(p, "1/1073741824 0 off CPU 0-2000 0 0 \n");
	profile_free(p);
}

/* --- Chrome ----------------------------------------------------------------------------------- */

static void slices_are_calls_and_samples(void **state)
{
	struct profile *p =
		imported("trace-event",
			 "[{\"ph\":\"B\",\"pid\":1,\"tid\":2,\"ts\":1,\"name\":\"f\"},"
			 "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":2,\"dur\":1.5,\"name\":\"g\"},"
			 "{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":5},"
			 "{\"ph\":\"B\",\"pid\":1,\"tid\":3,\"ts\":4,\"name\":\"open\"}]");

	(void)state;
	assert_calls(p, "1/2 0 f 0-4000 0 0 \n"
			"1/2 0 g 1000-2500 1 0 \n"
			"1/3 0 open 3000-4000 0 4 \n");
	assert_true(profile_has(p, PART_SAMPLES));
	assert_int_equal(p->samples.n, 3);
	assert_int_equal(ledger_count(p, LEDGER_EVENTS, LEDGER_KEPT), 5);
	profile_free(p);
}

/* Slices without a length, in the order of the file. */
static void calls_of_no_time(void **state)
{
	struct profile *p = imported("trace-event",
				     "[{\"ph\":\"B\",\"pid\":1,\"tid\":2,\"ts\":1,\"name\":\"f\"},"
				     "{\"ph\":\"B\",\"pid\":1,\"tid\":2,\"ts\":4,\"name\":\"g\"},"
				     "{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":4},"
				     "{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":4}]");

	(void)state;
	assert_calls(p, "1/2 0 f 0-3000 0 0 \n"
			"1/2 0 g 3000-3000 1 0 \n");
	profile_free(p);
}

static void calls_beside_samples(void **state)
{
	struct profile *p =
		imported("trace-event",
			 "{\"traceEvents\":[{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":2,\"dur\":3,"
			 "\"name\":\"f\"},"
			 "{\"ph\":\"B\",\"pid\":1,\"tid\":2,\"ts\":1,\"name\":\"seen\"},"
			 "{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":9}],"
			 "\"stackFrames\":{\"1\":{\"name\":\"main\"}},"
			 "\"samples\":[{\"pid\":1,\"tid\":2,\"ts\":3,\"sf\":\"1\",\"weight\":7}]}");

	(void)state;
	assert_calls(p, "1/2 0 f 0-3000 0 0 \n");
	assert_int_equal(p->samples.n, 1);
	assert_int_equal(p->samples.at[0].time_ns, 1000);
	profile_free(p);
}

/* --- Perfetto --------------------------------------------------------------------------------- */

/* A trace as other tools write it: no defaults, names in full, one sequence. */
struct foreign {
	struct protobuf trace, packet, inner, more;
};

static void put_packet(struct foreign *f, uint32_t field)
{
	protobuf_message(&f->packet, field, &f->inner);
	protobuf_uint(&f->packet, 10, 1);
	protobuf_message(&f->trace, 1, &f->packet);
	protobuf_clear(&f->packet);
	protobuf_clear(&f->inner);
}

static void put_thread_track(struct foreign *f, uint64_t uuid, uint32_t pid, uint32_t tid)
{
	protobuf_clear(&f->more);
	protobuf_uint(&f->more, 1, pid);
	protobuf_uint(&f->more, 2, tid);
	protobuf_text(&f->more, 5, "worker");
	protobuf_uint(&f->inner, 1, uuid);
	protobuf_message(&f->inner, 4, &f->more);
	put_packet(f, 60);
}

static void put_event(struct foreign *f, uint64_t ts, uint64_t track, uint32_t type,
		      const char *name)
{
	protobuf_uint(&f->packet, 8, ts);
	protobuf_uint(&f->inner, 9, type);
	protobuf_uint(&f->inner, 11, track);
	if (name)
		protobuf_text(&f->inner, 23, name);
	put_packet(f, 11);
}

static void foreign_release(struct foreign *f)
{
	protobuf_release(&f->trace);
	protobuf_release(&f->packet);
	protobuf_release(&f->inner);
	protobuf_release(&f->more);
}

/* A track is told of behind its events; another one's slices nest by themselves. */
static void tracks_of_others(void **state)
{
	struct foreign f = {0};
	struct profile *p;

	(void)state;
	put_event(&f, 1000, 5, 1, "f");
	put_event(&f, 1010, 6, 1, "async");
	put_event(&f, 1020, 5, 1, "g");
	put_event(&f, 1030, 5, 2, NULL);
	put_event(&f, 1040, 5, 2, NULL);
	put_event(&f, 1050, 6, 2, NULL);
	put_event(&f, 1060, 5, 3, "an instant");
	put_thread_track(&f, 5, 7, 8);
	protobuf_uint(&f.inner, 1, 6);
	protobuf_uint(&f.inner, 5, 5);
	protobuf_text(&f.inner, 2, "requests");
	put_packet(&f, 60);
	p = imported_bytes("perfetto", f.trace.bytes.at, f.trace.bytes.n);
	assert_calls(p, "7/8 0 f 0-40 0 0 \n"
			"7/8 0 g 20-30 1 0 \n"
			"7/8 1000 async 10-50 0 0 \n");
	assert_string_equal(profile_text(p, p->threads.at[0].name), "worker");
	assert_int_equal(ledger_count(p, LEDGER_EVENTS, LEDGER_APART), 1);
	profile_free(p);
	foreign_release(&f);
}

/* Another clock, which counts µs from a snapshot on, each packet from the one before. */
static void clocks_of_a_sequence(void **state)
{
	struct foreign f = {0};
	struct profile *p;

	(void)state;
	protobuf_uint(&f.more, 1, 6);
	protobuf_uint(&f.more, 2, 5000000);
	protobuf_message(&f.inner, 1, &f.more);
	protobuf_clear(&f.more);
	protobuf_uint(&f.more, 1, 64);
	protobuf_uint(&f.more, 2, 100);
	protobuf_uint(&f.more, 3, 1);
	protobuf_uint(&f.more, 4, 1000);
	protobuf_message(&f.inner, 1, &f.more);
	put_packet(&f, 6);
	put_thread_track(&f, 5, 7, 8);
	protobuf_uint(&f.packet, 58, 64);
	put_event(&f, 3, 5, 1, "f"); /* 5003 µs */
	put_event(&f, 5004000, 5, 1, "g");
	put_event(&f, 5006000, 5, 2, NULL);
	protobuf_uint(&f.packet, 58, 64);
	put_event(&f, 7, 5, 2, NULL); /* 5010 µs */
	p = imported_bytes("perfetto", f.trace.bytes.at, f.trace.bytes.n);
	assert_calls(p, "7/8 0 f 0-7000 0 0 \n"
			"7/8 0 g 1000-3000 1 0 \n");
	profile_free(p);
	foreign_release(&f);
}

/* What is whole of a trace that ends within a packet is read. */
static void cut_off(void **state)
{
	struct foreign f = {0};
	struct profile *p;

	(void)state;
	put_thread_track(&f, 5, 7, 8);
	put_event(&f, 10, 5, 1, "f");
	put_event(&f, 30, 5, 2, NULL);
	put_event(&f, 40, 5, 1, "gone");
	p = imported_bytes("perfetto", f.trace.bytes.at, f.trace.bytes.n - 1);
	assert_calls(p, "7/8 0 f 0-20 0 0 \n");
	assert_int_equal(ledger_count(p, LEDGER_EVENTS, LEDGER_NOTE), 1);
	profile_free(p);
	refused_bytes("perfetto", "\x0a\x02\x50\x01", 4, "holds no slices");
	refused_bytes("perfetto", "no trace", 8, "is no Perfetto trace");
	foreign_release(&f);
}

/* --- tables ----------------------------------------------------------------------------------- */

static void a_table_of_events(void **state)
{
	struct profile *p =
		imported("timeline-csv", "frame,argument,event,time,value1,value2,names\r\n"
					 "3,,1,1500,0,0,main\r\n"
					 "4,\"n=\"\"3\"\", m\",1,1600,0,0,\"f(a, b)\"\r\n"
					 "4,,2,1700,100,-5,\"f(a, b)\"\r\n"
					 "9,,1000,1800,4096,64,malloc\r\n"
					 "9,,x,1900,0,0,malloc\r\n"
					 "3,,2,2500,1000,0,main\r\n");

	(void)state;
	assert_calls(p, "0/0 0 f(a, b) 100-200 1 0 n=\"3\", m\n"
			"0/0 0 main 0-1000 0 0 \n");
	assert_int_equal(the_event(p, EVENT_MALLOC)->value2, 64);
	assert_int_equal(p->events.at[2].value2, -5);
	assert_int_equal(p->duration_ns, 1000);
	profile_free(p);
}

/* As eprof exports it: numbers for frames, in other columns. */
static void a_table_without_names(void **state)
{
	struct profile *p =
		imported("timeline-csv", "row,frame,argument,event,time_ns,value1,value2,thread,"
					 "coroutine\n0,7,,1,20,0,0,1,0\n1,7,,2,50,30,0,1,0\n"
					 "2,7,,1,40,0,0,0,2\n");

	(void)state;
	assert_calls(p, "0/0 2 frame 7 20-30 0 4 \n"
			"0/1 0 frame 7 0-30 0 0 \n");
	profile_free(p);
	refused("timeline-csv", "frame,event\n1,1\n", "no header");
	refused("timeline-csv", "frame,event,time\n", "holds no events");
	refused("timeline-csv", "frame,event,time\n1,\"1,3\n", "line 2");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(perfetto_comes_back),
		cmocka_unit_test(chrome_comes_back),
		cmocka_unit_test(all_of_chrome_comes_back),
		cmocka_unit_test(tracks_are_those_of_eprof_alone),
		cmocka_unit_test(slices_are_calls_and_samples),
		cmocka_unit_test(calls_of_no_time),
		cmocka_unit_test(calls_beside_samples),
		cmocka_unit_test(tracks_of_others),
		cmocka_unit_test(clocks_of_a_sequence),
		cmocka_unit_test(cut_off),
		cmocka_unit_test(a_table_of_events),
		cmocka_unit_test(a_table_without_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
