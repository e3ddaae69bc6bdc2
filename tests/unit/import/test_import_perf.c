/* The text of perf script to profiles. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

#include "export_text.h"
#include "import/perf_line.h"
#include "imported.h"
#include "model/meta.h"

extern const struct export folded_export;

static struct perf_sample sample(const char *line)
{
	struct perf_sample s = {0};

	assert_true(perf_line_sample(span_of(line), true, &s));
	return s;
}

static void assert_span(struct span a, const char *text)
{
	assert_int_equal(a.n, strlen(text));
	assert_memory_equal(a.s, text, a.n);
}

static void names_of_threads_may_be_anything(void **state)
{
	struct perf_sample s =
		sample("my worker 7 4711/4713 [001] 61349.213533:    1001001 cpu-clock:ppp: ");

	(void)state;
	assert_span(s.comm, "my worker 7");
	assert_int_equal(s.pid, 4711);
	assert_int_equal(s.tid, 4713);
	assert_int_equal(s.time_ns, 61349213533000);
	assert_int_equal(s.period, 1001001);
	assert_span(s.event, "cpu-clock:ppp");
	s = sample("x 12 0.000000001: page-faults:");
	/* No process is made up. */
	assert_int_equal(s.pid, 0);
	assert_int_equal(s.tid, 12);
	assert_span(s.comm, "x");
	assert_int_equal(s.tid, 12);
	assert_int_equal(s.time_ns, 1);
	assert_int_equal(s.period, 1);
	s = sample("a 1 2 3.5: cycles:");
	assert_span(s.comm, "a 1");
	assert_int_equal(s.tid, 2);
	s = sample(":-1 -1 [000] 1.5: 3 sched:sched_switch: prev_comm=a");
	assert_span(s.event, "sched:sched_switch");
	assert_span(s.rest, "prev_comm=a");
}

static void other_lines_are_no_samples(void **state)
{
	struct perf_sample s;
	static const char *const lines[] = {
		"",
		"cat",
		"cat 12",
		"cat 12 1.5",
		"cat 12 1.5:",
		"cat 12 1.5: x",
		"cat x 1.5: cycles:",
		"cat 12 99999999999999999999.5: x:",
		"cat 12 1.0000000001: x:",
		"cat 99999999999 1.5: x:",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++)
		if (perf_line_sample(span_of(lines[i]), true, &s))
			fail_msg("'%s'", lines[i]);
}

static void symbols_are_taken_apart(void **state)
{
	static const struct {
		const char *text, *name, *module;
		bool inlined;
	} want[] = {
		{"do_syscall_64+0x71 ([kernel.kallsyms])", "do_syscall_64", "[kernel.kallsyms]", 0},
		{"f(int) const+0x1 (/lib/a b.so (deleted))", "f(int) const",
		 "/lib/a b.so (deleted)", 0},
		{"operator()+0x0 (/x)", "operator()", "/x", 0},
		{"operator()", "operator()", "", 0},
		{"g+0x13 (inlined)", "g", "", 1},
		{"[unknown] ([unknown])", "[unknown]", "", 0},
		{"a+0x1z (/x)", "a+0x1z", "/x", 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
		struct perf_symbol e;

		perf_line_symbol(span_of(want[i].text), &e);
		assert_span(e.name, want[i].name);
		assert_span(e.module, want[i].module);
		assert_int_equal(e.inlined, want[i].inlined);
	}
}

static const char two[] = "cat 12/13 100.000002:    5000 cpu-clock:ppp: \n"
			  "\tffffffff821ef691 do_syscall_64+0x71 ([kernel.kallsyms])\n"
			  "\t           20ca3 __mmap64+0x13 (inlined)\n"
			  "\t           20ca3 mmap+0x13 (/lib/ld.so)\n"
			  "\t    7fe6909628a8 [unknown] ([unknown])\n"
			  "\n"
			  "cat 12/12 100.000001:          3 page-faults: \n"
			  "\t            68db main+0x30b (/bin/cat)\n"
			  "\n";

static void stacks_are_kept(void **state)
{
	struct profile *p = imported("perf-script", two);
	char *text = export_text(&folded_export, p, true);
	const struct function *f = p->functions.at;

	(void)state;
	/* The first metric of the file. */
	assert_string_equal(text, "cat;[unknown];mmap;__mmap64_[i];do_syscall_64_[k] 5000\n");
	free(text);
	assert_int_equal(p->samples.n, 2);
	/* In order of time, whatever that of the file. */
	assert_int_equal(p->samples.at[0].time_ns, 0);
	assert_int_equal(p->samples.at[1].time_ns, 1000);
	assert_int_equal(p->duration_ns, 1000);
	assert_int_equal(p->samples.values.at[0].at[1], 5000);
	assert_int_equal(p->samples.values.at[1].at[0], 3);
	assert_string_equal(profile_text(p, p->metrics.at[0].unit), "ns");
	assert_string_equal(profile_text(p, p->metrics.at[1].unit), "events");
	assert_int_equal(p->threads.n, 2);
	assert_int_equal(p->threads.at[0].tid, 13);
	assert_int_equal(p->threads.at[0].pid, 12);
	for (size_t i = 1; i < p->functions.n; i++) {
		const char *name = profile_text(p, f[i].name);
		const char *module = profile_text(p, p->modules.at[f[i].module].path);

		if (!strcmp(name, "__mmap64"))
			assert_string_equal(module, "/lib/ld.so");
		if (!strcmp(name, "do_syscall_64"))
			assert_string_equal(module, "[kernel]");
	}
	profile_free(p);
}

static void the_header_tells_of_the_machine(void **state)
{
	struct profile *p = imported(
		"perf-script",
		"# ========\n# captured on    : Mon Nov 23 12:01:47 2026\n# hostname : vm\n"
		"# os release : 6.1\n# arch : x86_64\n# nrcpus online : 2\n# cpudesc : AMD EPYC\n"
		"# cpuid : AuthenticAMD,25,17,1\n"
		"# cmdline : /usr/bin/perf record -g -- cat /etc/passwd \n"
		"# event : name = cycles, , { sample_period, sample_freq } = 499, inherit = 1, "
		"freq = 1\n"
		"#\ncat 1 1.0: cycles:\n");

	(void)state;
	assert_string_equal(profile_meta(p, META_NODE), "vm");
	assert_string_equal(profile_meta(p, META_PLATFORM), "linux-x86_64-amd-epyc");
	assert_string_equal(profile_meta(p, META_CPU_FINGERPRINT), "AuthenticAMD-25-17-1");
	assert_string_equal(profile_meta(p, META_CORES), "2");
	assert_string_equal(profile_run(p, RUN_COMMAND), "cat /etc/passwd");
	assert_int_equal((int)p->hz, 499);
	profile_free(p);
}

static void what_is_not_understood_is_counted(void **state)
{
	struct profile *p = imported("perf-script", "cat 1 1.0: cycles:\n\t1 f (x)\n\n"
						    "nonsense\n\t1 g (x)\n\n"
						    "cat 1 2.0: 0 cycles:\n\t1 f (x)\n\n"
						    "cat 1 3.0: cycles:\n  file.c:12\n");

	(void)state;
	assert_int_equal(ledger_count(p, 0, LEDGER_TAKEN), 4);
	assert_int_equal(ledger_count(p, 0, LEDGER_KEPT), 2);
	assert_int_equal(ledger_count(p, 0, LEDGER_LOST), 2);
	/* Its source line, and that it has no stack. */
	assert_int_equal(ledger_count(p, 0, LEDGER_NOTE), 2);
	profile_free(p);
}

static void a_frame_may_stand_behind_the_event(void **state)
{
	struct profile *p = imported(
		"perf-script", "a 1 1.5: cycles:  ffffffff8104 wrmsr+0x4 ([kernel.kallsyms])\r\n"
			       "a 1 1.6: sched:sched_switch: prev_comm=x\r\n");
	char *text = export_text(&folded_export, p, true);

	(void)state;
	assert_string_equal(text, "a;wrmsr_[k] 1\n");
	assert_int_equal(p->metrics.n, 2);
	free(text);
	profile_free(p);
}

static void bad_files_are_refused(void **state)
{
	(void)state;
	refused("perf-script", "# nothing\n", "no sample");
	refused("perf-script", "a;b 3\n", "line 1: no line of perf script");
	refused("perf-script", "a 1 1.0: 9223372036854775807 x:\na 1 1.0: 9223372036854775807 x:\n",
		"does not fit");
}

static void assert_recognised(const char *text)
{
	assert_ptr_equal(import_recognise("x", span_of(text)), import_find("perf-script"));
}

/* Without call chains perf aligns the names of threads to the right. */
static void samples_may_have_no_stack(void **state)
{
	static const char flat[] =
		"            perf  5062 [001] 19374.700011:     100000 cpu-clock:  ffffffff8 f+0x4 "
		"(x)\n"
		"         sqlite3  5063 19374.700111:     100000 cpu-clock:      7f8 g+0x14 (y)\n";
	static const char mixed[] = "            cat 1 1.0: 1 page-faults:  7f f+0x1 (x)\n"
				    "cat 1 1.1: 1000000 cpu-clock: \n\t7f f+0x1 (x)\n\n"
				    "            cat 1 1.2: 1 page-faults:  7f f+0x1 (x)\n"
				    "cat 1 1.3: 1000000 cpu-clock: \n\t7f f+0x1 (x)\n\n";
	struct profile *p = imported("perf-script", flat);

	(void)state;
	assert_recognised(flat);
	assert_recognised(mixed);
	assert_int_equal(ledger_count(p, 0, LEDGER_KEPT), 2);
	assert_int_equal(p->threads.n, 2);
	assert_string_equal(profile_text(p, p->threads.at[1].name), "sqlite3");
	profile_free(p);
	p = imported("perf-script", mixed);
	assert_int_equal(ledger_count(p, 0, LEDGER_KEPT), 2);
	assert_int_equal(ledger_count(p, 1, LEDGER_KEPT), 2);
	assert_int_equal(ledger_count(p, 1, LEDGER_LOST), 0);
	assert_int_equal(p->samples.values.at[1].at[1], 1000000);
	profile_free(p);
}

/* perf script -F comm,tid,event,ip,sym; -F comm,pid,tid,time,… without a name. */
static void times_and_names_may_be_missing(void **state)
{
	static const char no_time[] = "cat 12 [001] cycles: \n\t7f f+0x1 (x)\n\n"
				      "cat 12/13 300 cycles: \n\t7f g+0x1 (x)\n\n";
	struct profile *p = imported("perf-script", no_time);

	(void)state;
	assert_recognised(no_time);
	assert_int_equal(ledger_count(p, 0, LEDGER_KEPT), 2);
	assert_int_equal(p->samples.values.at[0].at[1], 300);
	assert_int_equal(p->duration_ns, 0);
	profile_free(p);
	p = imported("perf-script", "   12 1.5: cycles: \n\t7f f+0x1 (x)\n\n");
	assert_int_equal(p->threads.at[0].tid, 12);
	assert_string_equal(profile_text(p, p->threads.at[0].name), "[unknown]");
	profile_free(p);
}

static void the_time_is_that_of_the_capture(void **state)
{
	struct profile *p =
		imported("perf-script", "# ========\n# captured on    : Mon Aug 30 11:15:28 2021\n"
					"# ========\n#\ncat 1 1.0: cycles:\n\t1 f (x)\n");

	(void)state;
	assert_int_equal(p->started_unix_ns, 1630322128000000000);
	profile_free(p);
}

/* Without periods samples of a clock have no time, but where the header has the rate. */
static void clocks_without_periods_are_counted(void **state)
{
	static const char bare[] = "cat 1 1.1: cpu-clock: \n\t7f f+0x1 (x)\n\n"
				   "cat 1 1.2: cpu-clock: \n\t7f f+0x1 (x)\n\n";
	static const char header[] =
		"# ========\n# captured on: Mon Aug 30 11:15:28 2021\n"
		"# event : name = cpu-clock, , { sample_period, sample_freq } = 100, freq = 1, x\n";
	_free_ char *with = mem_printf("%s%s", header, bare);
	struct profile *p = imported("perf-script", bare);

	(void)state;
	assert_string_equal(profile_text(p, p->metrics.at[0].unit), "events");
	assert_int_equal(p->samples.values.at[0].at[0], 1);
	profile_free(p);
	p = imported("perf-script", with);
	assert_string_equal(profile_text(p, p->metrics.at[0].unit), "ns");
	assert_int_equal(p->samples.values.at[0].at[0], 10000000);
	profile_free(p);
}

/* Tools that trim lines leave frames without blanks before them. */
static void frames_may_begin_their_lines(void **state)
{
	struct profile *p = imported("perf-script", "java 19983 cycles:\n"
						    "ffffffff8103d0ca native_write ([kernel])\n"
						    "7f26dc19f683 main (/bin/x)\n"
						    "\n"
						    "java 19983 cycles:\n"
						    "7f26dc19f683 main (/bin/x)\n");

	(void)state;
	assert_int_equal(p->nodes.n, 3);
	assert_int_equal(ledger_count(p, 0, LEDGER_KEPT), 2);
	assert_int_equal(ledger_count(p, 0, LEDGER_LOST), 0);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_threads_may_be_anything),
		cmocka_unit_test(other_lines_are_no_samples),
		cmocka_unit_test(symbols_are_taken_apart),
		cmocka_unit_test(stacks_are_kept),
		cmocka_unit_test(the_header_tells_of_the_machine),
		cmocka_unit_test(what_is_not_understood_is_counted),
		cmocka_unit_test(a_frame_may_stand_behind_the_event),
		cmocka_unit_test(bad_files_are_refused),
		cmocka_unit_test(samples_may_have_no_stack),
		cmocka_unit_test(times_and_names_may_be_missing),
		cmocka_unit_test(clocks_without_periods_are_counted),
		cmocka_unit_test(frames_may_begin_their_lines),
		cmocka_unit_test(the_time_is_that_of_the_capture),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
