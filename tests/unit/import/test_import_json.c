/* Profiles that are JSON: speedscope, Firefox, Chrome's traces, V8, stackprof, Safari, GHC; and
 * texts that the same tools open: values, threads, lines, and what a row that is odd costs. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>

#include "base/str.h"
#include "import_json/json_tape.h"
#include "imported.h"

/* "thread;main;f VALUE\n" of one metric, samples in order of time. */
static void assert_samples(const struct profile *p, const char *metric, const char *text)
{
	struct str s = {0};
	uint32_t m = 0;

	while (m < p->metrics.n && strcmp(profile_text(p, p->metrics.at[m].name), metric) != 0)
		m++;
	assert_true(m < p->metrics.n);
	for (size_t i = 0; i < p->samples.n; i++) {
		uint32_t path[16], n = 0;

		if (!p->samples.values.at[m].at[i])
			continue;
		for (uint32_t at = p->samples.at[i].node; at; at = p->nodes.at[at].parent)
			path[n++] = p->frames.at[p->nodes.at[at].frame].function;
		str_add(&s, profile_text(p, p->threads.at[p->samples.at[i].thread].name));
		while (n)
			str_addf(&s, ";%s", profile_text(p, p->functions.at[path[--n]].name));
		str_addf(&s, " %lld\n", (long long)p->samples.values.at[m].at[i]);
	}
	assert_string_equal(str_text(&s), text);
	str_release(&s);
}

/* The count of the row of the ledger that has these words. */
static int64_t ledger_of(const struct profile *p, const char *words)
{
	for (size_t i = 0; i < p->ledger.n; i++)
		if (strstr(profile_text(p, p->ledger.at[i].name), words))
			return p->ledger.at[i].count;
	return 0;
}

/* "file:line" of the function's declaration. */
static void assert_place(const struct profile *p, const char *name, const char *file, uint32_t line)
{
	for (size_t i = 0; i < p->functions.n; i++) {
		const struct function *f = &p->functions.at[i];

		if (strcmp(profile_text(p, f->name), name) != 0)
			continue;
		assert_string_equal(profile_text(p, f->file), file);
		assert_int_equal(f->line, line);
		return;
	}
	fail_msg("no function '%s'", name);
}

/* --- JSON ------------------------------------------------------------------------------------- */

static int read_json(const char *text, struct json_tape *t, struct input *in)
{
	*t = (struct json_tape){0};
	input_from_memory(in, "x", text, strlen(text));
	return json_tape_read(t, in);
}

static void reads_values(void **state)
{
	struct json_tape t;
	struct input in;
	int64_t value;
	size_t n = 0;

	(void)state;
	assert_int_equal(
		read_json(" {\"a\": [1, -2.5e1, \"3\"], \"b\\u00e9\\ud83d\\ude00\\n\": null, "
			  "\"c\": true, \"a2\": {}, \"c\": \"last\"} ",
			  &t, &in),
		0);
	tape_each(&t, item, tape_get(&t, JSON_ROOT, "a"))
	{
		static const int64_t want[] = {10, -250, 30};

		assert_true(tape_scaled(&t, item, 10, &value));
		assert_int_equal(value, want[n++]);
	}
	assert_int_equal(n, 3);
	assert_true(tape_get(&t, JSON_ROOT, "b\xc3\xa9\xf0\x9f\x98\x80\n"));
	assert_true(span_is(tape_text(&t, tape_get(&t, JSON_ROOT, "c")), "last"));
	assert_int_equal(tape_get(&t, JSON_ROOT, "d"), 0);
	assert_int_equal(tape_get(&t, 0, "d"), 0);
	json_tape_release(&t);
	input_close(&in);
}

static void refuses_what_is_no_json(void **state)
{
	static const char *const all[] = {
		"",	     "{",	   "{\"a\"}",	  "{\"a\":}", "{\"a\":1,}", "[1 2]",
		"[1,]",	     "[01x]",	   "{\"a\":nul}", "[1]x",     "\"\\x\"",    "\"\\u12\"",
		"[1e999]",   "[\"a\nb\"]", "{a:1}",	  "[}",	      "{\"a\":1]",  "['a']",
		"{\"a\":[1", "[NaN]",	   "[--1]",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		struct json_tape t;
		struct input in;

		if (read_json(all[i], &t, &in) != -EINVAL)
			fail_msg("%s is read", all[i]);
		assert_non_null(strstr(err_text(), "'x', byte "));
		json_tape_release(&t);
		input_close(&in);
	}
}

static void bounds_nesting(void **state)
{
	_free_ char *deep = mem_zalloc(JSON_DEPTH + 3, 1);
	struct json_tape t;
	struct input in;

	(void)state;
	memset(deep, '[', JSON_DEPTH + 1);
	assert_int_equal(read_json(deep, &t, &in), -EINVAL);
	assert_non_null(strstr(err_text(), "nested too deep"));
	json_tape_release(&t);
	input_close(&in);
}

/* --- speedscope ------------------------------------------------------------------------------- */

static void reads_speedscope(void **state)
{
	struct profile *p = imported(
		"speedscope",
		"{\"shared\":{\"frames\":[{\"name\":\"main\",\"file\":\"a.c\",\"line\":3},{"
		"\"name\":"
		"\"f\"}]},\"profiles\":["
		"{\"type\":\"sampled\",\"name\":\"one\",\"unit\":\"milliseconds\",\"startValue\":"
		"10,"
		"\"endValue\":40,\"samples\":[[0],[0,1],[0,7],[]],\"weights\":[10,19.5,1,2]},"
		"{\"type\":\"evented\",\"name\":\"two\",\"unit\":\"none\",\"startValue\":0,"
		"\"endValue\":14,\"events\":[{\"type\":\"O\",\"frame\":0,\"at\":0},{\"type\":\"O\","
		"\"frame\":1,\"at\":2},{\"type\":\"C\",\"frame\":0,\"at\":4},{\"type\":\"C\","
		"\"frame\":1,\"at\":5},{\"type\":\"O\",\"frame\":1,\"at\":3}]}]}");

	(void)state;
	assert_samples(p, "time", "one;main 10000000\none;main;f 19500000\none 2000000\n");
	assert_samples(p, "samples", "two;main 2\ntwo;main;f 3\ntwo;main 9\n");
	assert_place(p, "main", "a.c", 3);
	assert_int_equal(p->duration_ns, 30000000);
	assert_int_equal(ledger_count(p, 0, LEDGER_LOST), 1);
	assert_int_equal(ledger_of(p, "that is not the innermost"), 1);
	assert_int_equal(ledger_of(p, "before the one in front"), 1);
	assert_int_equal(ledger_of(p, "call without an end"), 1);
	profile_free(p);
}

static void reads_fractions(void **state)
{
	struct profile *p = imported("speedscope",
				     "{\"profiles\":[{\"type\":\"sampled\",\"name\":\"t\",\"unit\":"
				     "\"none\",\"samples\":[[0],[]],\"weights\":[0.25,2]}],"
				     "\"shared\":{\"frames\":[{\"name\":\"f\"}]}}");

	(void)state;
	assert_samples(p, "samples", "t;f 250000\nt 2000000\n");
	assert_string_equal(profile_text(p, p->metrics.at[0].unit), "1/1000000");
	profile_free(p);
}

/* --- traces ----------------------------------------------------------------------------------- */

#define EVENT(ph, ts, rest) "{\"pid\":7,\"tid\":8,\"ph\":\"" ph "\",\"ts\":" ts rest "}"
#define NAMED(name)	    ",\"name\":\"" name "\""

static void nests_slices(void **state)
{
	struct profile *p = imported(
		"trace-event",
		"[{\"ph\":\"M\",\"pid\":7,\"tid\":8,\"name\":\"thread_name\",\"args\":{\"name\":"
		"\"t\"}}," EVENT("B", "1.5", NAMED("f")) "," EVENT("X", "2", NAMED("h") ",\"dur\":1") "," EVENT(
			"X", "2",
			NAMED("g") ",\"dur\":2") "," EVENT("E", "10",
							   "") "," EVENT("E", "11",
									 NAMED("f")) "," EVENT("i",
											       "3",
											       "") "]");

	(void)state;
	assert_samples(p, "time", "t;f 500\nt;f;g;h 1000\nt;f;g 1000\nt;f 6000\n");
	assert_int_equal(p->duration_ns, 9500);
	assert_int_equal(p->threads.at[0].pid, 7);
	assert_int_equal(p->threads.at[0].tid, 8);
	assert_int_equal(ledger_of(p, "end of a slice"), 1);
	assert_int_equal(ledger_of(p, "no slices"), 1);
	profile_free(p);
}

/* A call that follows one of the same name is not below it; one without length is. */
static void orders_events_of_one_time(void **state)
{
	struct profile *p = imported(
		"trace-event",
		"[" EVENT("B", "0", NAMED("a")) "," EVENT("B", "1", NAMED("b")) "," EVENT(
			"E", "2",
			NAMED("b")) "," EVENT("B", "2",
					      NAMED("b")) "," EVENT("E", "3",
								    NAMED("a")) "," EVENT("E", "3",
											  NAMED("b")) "]");

	(void)state;
	assert_samples(p, "time", "thread 8;a 1000\nthread 8;a;b 1000\nthread 8;a;b 1000\n");
	assert_int_equal(p->ledger.n, 4); /* of samples and of events, nothing left out */
	profile_free(p);
}

static void reads_cut_traces(void **state)
{
	struct profile *p =
		imported("trace-event", "[" EVENT("B", "0", NAMED("a")) ",\n" EVENT(
						"E", "3", NAMED("a")) ",\n{\"ph\":\"B\",\"ti");

	(void)state;
	assert_samples(p, "time", "thread 8;a 3000\n");
	assert_int_equal(ledger_of(p, "ends before"), 1);
	profile_free(p);
	refused("trace-event", "{\"traceEvents\":[" EVENT("B", "0", NAMED("a")), "byte ");
	refused("trace-event", "[" EVENT("i", "0", NAMED("a")) "]", "neither slices");
}

static void reads_samples_of_traces(void **state)
{
	struct profile *p = imported(
		"trace-event",
		"{\"traceEvents\":[],\"stackFrames\":{\"1\":{\"name\":\"main\"},\"2\":{\"name\":"
		"\"f\","
		"\"parent\":1}},\"samples\":[" EVENT(
			"", "\"130\"",
			",\"sf\":2,\"weight\":\"1\"") "," EVENT("", "100",
								",\"sf\":\"1\"") "," EVENT("",
											   "170",
											   ",\"sf\""
											   ":2") "]"
												 "}");

	(void)state;
	assert_samples(p, "time", "thread 8;main 30000\nthread 8;main;f 40000\n");
	assert_int_equal(ledger_count(p, 1, LEDGER_KEPT), 3);
	profile_free(p);
}

/* Chunks come from another thread and in any order; the collector runs on top of what ran. */
static void joins_chunks_of_v8(void **state)
{
	struct profile *p = imported(
		"trace-event",
		"[{\"pid\":1,\"tid\":2,\"ph\":\"M\",\"name\":\"thread_name\",\"args\":{\"name\":"
		"\"js\"}},"
		"{\"pid\":1,\"tid\":9,\"ts\":20,\"ph\":\"P\",\"name\":\"ProfileChunk\",\"id\":"
		"\"0x1\","
		"\"args\":{\"data\":{\"cpuProfile\":{\"samples\":[3,2]},\"timeDeltas\":[30,40]}}},"
		"{\"pid\":1,\"tid\":2,\"ts\":5,\"ph\":\"P\",\"name\":\"Profile\",\"id\":\"0x1\","
		"\"args\":{\"data\":{\"startTime\":1000}}},"
		"{\"pid\":1,\"tid\":9,\"ts\":10,\"ph\":\"P\",\"name\":\"ProfileChunk\",\"id\":"
		"\"0x1\","
		"\"args\":{\"data\":{\"cpuProfile\":{\"nodes\":["
		"{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\"}},"
		"{\"id\":2,\"parent\":1,\"callFrame\":{\"functionName\":\"a\",\"url\":\"a.js\","
		"\"lineNumber\":4}},"
		"{\"id\":3,\"parent\":1,\"callFrame\":{\"functionName\":\"(garbage collector)\"}}],"
		"\"samples\":[2,2]},\"timeDeltas\":[100,50]}}}]");

	(void)state;
	assert_samples(p, "time", "js;a 50000\njs;a 30000\njs;a;(garbage collector) 40000\n");
	assert_int_equal(ledger_count(p, 1, LEDGER_KEPT), 4);
	assert_place(p, "a", "a.js", 5);
	assert_int_equal(p->duration_ns, 220000);
	profile_free(p);
}

/* --- V8 --------------------------------------------------------------------------------------- */

/* Clocks that go back stand still, and the last sample lasts to the end. */
static void reads_cpuprofile(void **state)
{
	struct profile *p = imported(
		"cpuprofile",
		"{\"nodes\":[{\"id\":1,\"callFrame\":{\"functionName\":\"(root)\"},\"children\":[2]"
		"},"
		"{\"id\":2,\"callFrame\":{\"functionName\":\"\",\"url\":\"a.js\",\"lineNumber\":0},"
		"\"children\":[3]},{\"id\":3,\"callFrame\":{\"functionName\":\"f\",\"url\":\"a."
		"js\","
		"\"lineNumber\":6}}],\"startTime\":1000,\"endTime\":2000,"
		"\"samples\":[2,3,3,77,2],\"timeDeltas\":[100,250,50,-10,200]}");

	(void)state;
	assert_samples(p, "time",
		       "main thread;(anonymous) 250000\nmain thread;(anonymous);f 50000\n"
		       "main thread;(anonymous) 410000\n");
	assert_int_equal(ledger_count(p, 1, LEDGER_KEPT), 4);
	assert_int_equal(ledger_count(p, 1, LEDGER_LOST), 1);
	assert_place(p, "f", "a.js", 7);
	assert_int_equal(p->duration_ns, 1000000);
	profile_free(p);
}

static void reads_older_cpuprofile(void **state)
{
	struct profile *p = imported(
		"cpuprofile",
		"{\"head\":{\"functionName\":\"(root)\",\"id\":1,\"children\":[{\"functionName\":"
		"\"a\","
		"\"url\":\"a.js\",\"lineNumber\":1,\"id\":2,\"children\":[{\"functionName\":\"b\","
		"\"id\":3,\"children\":[]}]}]},\"startTime\":5,\"endTime\":5,\"samples\":[2,3,3],"
		"\"timestamps\":[5599286,5599386,5599486,5599500]}");

	(void)state;
	assert_samples(p, "time",
		       "main thread;a 100000\nmain thread;a;b 100000\nmain thread;a;b 14000\n");
	profile_free(p);
}

static void reads_heapprofile(void **state)
{
	struct profile *p = imported(
		"heapprofile",
		"{\"head\":{\"callFrame\":{\"functionName\":\"(root)\"},\"selfSize\":0,\"id\":1,"
		"\"children\":[{\"callFrame\":{\"functionName\":\"make\",\"url\":\"m.js\","
		"\"lineNumber\":2},\"selfSize\":16400,\"id\":2,\"children\":[{\"callFrame\":{"
		"\"functionName\":\"push\"},\"selfSize\":128,\"children\":[]}]}]}}");

	(void)state;
	assert_samples(p, "live", "main thread;make 16400\nmain thread;make;push 128\n");
	assert_place(p, "make", "m.js", 3);
	profile_free(p);
}

/* --- Ruby ------------------------------------------------------------------------------------- */

#define RUBY(mode, rest)                                                               \
	"{\"mode\":\"" mode "\",\"interval\":1000,\"samples\":6,\"missed_samples\":2," \
	"\"frames\":{\"70\":{\"name\":\"main\",\"file\":\"a.rb\",\"line\":4},"         \
	"\"71\":{\"name\":\"A#d\"},\"72\":{\"name\":\"(garbage collection)\"}},"       \
	"\"raw\":[2,70,71,3,1,72,1,1,99,1,9,1]" rest "}"

static void reads_stackprof(void **state)
{
	struct profile *p = imported(
		"stackprof", RUBY("wall", ",\"raw_timestamp_deltas\":[1000,1100,900,500,7]"));

	(void)state;
	assert_samples(p, "time",
		       "all threads;main;A#d 3000000\nall threads;main;A#d;(garbage collection) "
		       "500000\n");
	assert_samples(p, "samples",
		       "all threads;main;A#d 3\nall threads;main;A#d;(garbage collection) 1\n");
	assert_place(p, "main", "a.rb", 4);
	assert_int_equal(ledger_of(p, "not there"), 1);
	assert_int_equal(ledger_of(p, "rest of the list"), 1);
	assert_int_equal(ledger_of(p, "missed by stackprof"), 2);
	profile_free(p);
	p = imported("stackprof", RUBY("cpu", ""));
	assert_samples(p, "cpu",
		       "all threads;main;A#d 3000000\nall threads;main;A#d;(garbage collection) "
		       "1000000\n");
	profile_free(p);
	p = imported("stackprof", RUBY("object", ""));
	assert_samples(p, "objects",
		       "all threads;main;A#d 3\nall threads;main;A#d;(garbage collection) 1\n");
	profile_free(p);
	refused("stackprof", "{\"mode\":\"cpu\",\"interval\":1,\"samples\":3}", "raw: true");
}

/* --- Firefox ---------------------------------------------------------------------------------- */

static void reads_gecko(void **state)
{
	struct profile *p = imported(
		"firefox",
		"{\"profile\":{\"libs\":[],\"meta\":{\"startTime\":1000},\"threads\":[{\"name\":"
		"\"Main\","
		"\"tid\":8,\"pid\":7,\"samples\":{\"schema\":{\"stack\":0,\"time\":1},\"data\":["
		"[0,0.5],[1,1.25],[null,3],[9,4]]},\"stackTable\":{\"schema\":{\"prefix\":0,"
		"\"frame\":1},\"data\":[[null,0],[0,1]]},\"frameTable\":{\"schema\":{\"location\":"
		"0,"
		"\"line\":3},\"data\":[[0],[1,null,null,16]]},\"stringTable\":[\"js::Run\","
		"\"alpha (http://h/s.js:3:14)\"]}],\"processes\":[{\"meta\":{\"startTime\":1010},"
		"\"threads\":[{\"name\":\"Web\",\"tid\":20,\"pid\":19,\"samples\":{\"schema\":{"
		"\"stack\":0,\"time\":1},\"data\":[[0,0],[0,2]]},\"stackTable\":{\"schema\":{"
		"\"prefix\":0,\"frame\":1},\"data\":[[null,0]]},\"frameTable\":{\"schema\":{"
		"\"location\":0},\"data\":[[0]]},\"stringTable\":[\"f\"]}]}]}}");

	(void)state;
	assert_samples(p, "time",
		       "Main;js::Run 750000\nMain;js::Run;alpha 1750000\nWeb;f 2000000\n");
	assert_place(p, "alpha", "http://h/s.js", 3);
	assert_int_equal(p->frames.at[2].line, 16);
	assert_int_equal(p->threads.at[1].pid, 19);
	assert_int_equal(p->duration_ns, 11500000);
	assert_int_equal(ledger_count(p, 1, LEDGER_KEPT), 5);
	assert_int_equal(ledger_count(p, 1, LEDGER_LOST), 1);
	profile_free(p);
}

static void reads_processed(void **state)
{
	struct profile *p = imported(
		"firefox",
		"{\"meta\":{\"startTime\":0},\"libs\":[],\"shared\":{\"stackTable\":{\"frame\":[0,"
		"1],"
		"\"prefix\":[null,0]},\"frameTable\":{\"func\":[0,1],\"line\":[5,null]},"
		"\"funcTable\":{\"name\":[0,1],\"fileName\":[2,null],\"lineNumber\":[3,null]},"
		"\"stringArray\":[\"main\",\"leaf\",\"m.c\"]},\"threads\":[{\"name\":\"t\",\"pid\":"
		"\"7\","
		"\"tid\":8,\"samples\":{\"stack\":[0,1],\"timeDeltas\":[0,1],\"weight\":[3,4],"
		"\"weightType\":\"samples\"}}]}");

	(void)state;
	assert_samples(p, "samples", "t;main 3\nt;main;leaf 4\n");
	assert_place(p, "main", "m.c", 3);
	assert_int_equal(p->threads.at[0].pid, 7);
	profile_free(p);
}

/* --- Safari, GHC ------------------------------------------------------------------------------ */

static void reads_safari(void **state)
{
	struct profile *p = imported(
		"safari",
		"{\"recording\":{\"instrumentTypes\":[],\"sampleStackTraces\":[{\"timestamp\":4.5,"
		"\"stackFrames\":[{\"name\":\"\",\"line\":2,\"url\":\"a.js\","
		"\"expressionLocation\":{\"line\":34}},{\"name\":\"f\",\"line\":109,\"url\":"
		"\"b.js\"}]},{\"timestamp\":4.503,\"stackFrames\":[]},{\"stackFrames\":[]}],"
		"\"sampleDurations\":[0.001,0.0015]}}");

	(void)state;
	assert_samples(p, "time", "main thread;f;(anonymous) 1000000\nmain thread 1500000\n");
	assert_place(p, "(anonymous)", "a.js", 2);
	assert_int_equal(p->frames.at[2].line, 34);
	assert_int_equal(p->duration_ns, 4000000);
	assert_int_equal(ledger_count(p, 1, LEDGER_LOST), 1);
	profile_free(p);
}

static void reads_ghc(void **state)
{
	struct profile *p = imported(
		"ghc",
		"{\"program\":\"trees\",\"rts_arguments\":[],\"total_ticks\":8,\"tick_interval\":"
		"1000,"
		"\"cost_centres\":[{\"id\":1,\"label\":\"MAIN\",\"module\":\"M\",\"src_loc\":"
		"\"<built-in>\"},{\"id\":2,\"label\":\"main\",\"module\":\"Main\",\"src_loc\":"
		"\"a.hs:(3,1)-(5,9)\"},{\"id\":3,\"label\":\"go\",\"module\":\"Main\","
		"\"src_loc\":\"a.hs:12:1-20\"}],\"profile\":{\"id\":1,\"entries\":0,\"alloc\":600,"
		"\"ticks\":1,\"children\":[{\"id\":2,\"entries\":1,\"alloc\":0,\"ticks\":2,"
		"\"children\":[{\"id\":3,\"entries\":9,\"alloc\":100,\"ticks\":5,\"children\":"
		"[]}]},{\"id\":77,\"ticks\":4}]}}");

	(void)state;
	assert_samples(p, "time",
		       "trees;M.MAIN 1000000\ntrees;M.MAIN;Main.main 2000000\n"
		       "trees;M.MAIN;Main.main;Main.go 5000000\n");
	assert_samples(p, "alloc", "trees;M.MAIN 600\ntrees;M.MAIN;Main.main;Main.go 100\n");
	assert_samples(p, "entries",
		       "trees;M.MAIN;Main.main 1\ntrees;M.MAIN;Main.main;Main.go 9\n");
	assert_int_equal(ledger_count(p, 0, LEDGER_KEPT), 8);
	assert_place(p, "M.MAIN", "", 0);
	assert_place(p, "Main.main", "a.hs", 3);
	assert_place(p, "Main.go", "a.hs", 12);
	assert_int_equal(ledger_of(p, "cost centre"), 1);
	profile_free(p);
}

/* --- logs of V8 ------------------------------------------------------------------------------- */

/* JavaScript's stack and the native one take turns; times are those before the ticks. */
static void reads_v8log(void **state)
{
	struct profile *p = imported(
		"v8log",
		"{\"code\":[{\"name\":\"/usr/bin/node\",\"type\":\"SHARED_LIB\"},{\"name\":\"T "
		"start\","
		"\"type\":\"CPP\"},{\"name\":\"f "
		"/home/a.js:3:10\",\"type\":\"JS\"},{\"name\":\"f\","
		"\"type\":\"CODE\",\"kind\":\"LoadIC\"}],\"functions\":[],\"ticks\":["
		"{\"tm\":30,\"s\":[3,0,2,-1]},{\"tm\":20,\"s\":[0,1,2,1]},{\"tm\":-1,\"s\":[]},"
		"{\"tm\":35,\"s\":[1,1,-1,1]}]}");

	(void)state;
	assert_samples(p, "time",
		       "main thread;f;(LIB) /usr/bin/node 20000\nmain thread;f;(IC) f 10000\n"
		       "main thread;start 5000\n");
	assert_place(p, "f", "/home/a.js", 3);
	assert_int_equal(p->duration_ns, 35000);
	assert_int_equal(ledger_count(p, 1, LEDGER_KEPT), 3);
	assert_int_equal(ledger_count(p, 1, LEDGER_LOST), 1);
	profile_free(p);
}

/* --- texts ------------------------------------------------------------------------------------ */

static void reads_instruments(void **state)
{
	struct profile *p = imported("instruments", "Weight\tSelf Weight\t\tSymbol Name\n"
						    "4.93 s  100.0%\t0 s\t \t start\n"
						    "2.45 s  49.7%\t846.00 ms\t \t  delta()\n"
						    "1.50 s  30%\t-\t \t   alpha()\n"
						    "odd\n"
						    "0.50 s  30%\t500 ms\t \t    beta()\n");

	(void)state;
	assert_samples(p, "time",
		       "all threads;start;delta();alpha();beta() 500000000\n"
		       "all threads;start;delta();alpha() 1000000000\n"
		       "all threads;start;delta() 846000000\n");
	assert_int_equal(ledger_of(p, "lines left out"), 1);
	profile_free(p);
	p = imported("instruments", "Bytes Used\tCount\t\tSymbol Name\n"
				    " 1.50 KB     100.0%\t84671\t \tstart\n"
				    " 0.50 KB     50.4%\t42749\t \t main\n");
	assert_samples(p, "size", "all threads;start;main 512\nall threads;start 1024\n");
	profile_free(p);
	refused("instruments", "Weight\tSymbol Name\nx\ty\n", "line 2: an amount");
}

static void reads_papyrus(void **state)
{
	struct profile *p = imported("papyrus", "Script_a log opened (PC)\n"
						"500:PUSH:3053:1:q (24):a..f\n"
						"600:PUSH:3053:1:None:a..g\n"
						"700:QUEUE_PUSH:3053:2: (2):L.??.h\n"
						"900:POP:3053:1:None:a..g\n"
						"950:POP:3208:1:None:a..x\n"
						"odd\n"
						"1500:POP:3053:1:q (24):a..f\n"
						"Log closed\n");

	(void)state;
	assert_samples(p, "time",
		       "stack 3053;a..f 100000000\nstack 3053;a..f;a..g 300000000\n"
		       "stack 3053;a..f 600000000\n");
	assert_int_equal(p->duration_ns, 1000000000);
	assert_int_equal(ledger_of(p, "no calls"), 1);
	assert_int_equal(ledger_of(p, "end of a slice"), 1);
	assert_int_equal(ledger_of(p, "lines left out"), 1);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_values),
		cmocka_unit_test(refuses_what_is_no_json),
		cmocka_unit_test(bounds_nesting),
		cmocka_unit_test(reads_speedscope),
		cmocka_unit_test(reads_fractions),
		cmocka_unit_test(nests_slices),
		cmocka_unit_test(orders_events_of_one_time),
		cmocka_unit_test(reads_cut_traces),
		cmocka_unit_test(reads_samples_of_traces),
		cmocka_unit_test(joins_chunks_of_v8),
		cmocka_unit_test(reads_cpuprofile),
		cmocka_unit_test(reads_older_cpuprofile),
		cmocka_unit_test(reads_heapprofile),
		cmocka_unit_test(reads_stackprof),
		cmocka_unit_test(reads_gecko),
		cmocka_unit_test(reads_processed),
		cmocka_unit_test(reads_safari),
		cmocka_unit_test(reads_ghc),
		cmocka_unit_test(reads_v8log),
		cmocka_unit_test(reads_instruments),
		cmocka_unit_test(reads_papyrus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
