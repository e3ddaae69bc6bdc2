/*
 * sample_profile: a small profile as a capture would leave it, for the tests of views, formats
 * and exports. Two processes, three threads; kernel, user, inlined, JIT, vDSO and unnamed
 * frames; a stack of 60 frames; names that break careless writers (<, &, ", ;, UTF-8, a newline
 * in a thread's name, a C++ name of 300 bytes and more); a ledger whose totals add up; costs.
 *
 * SAMPLE_KEPT samples of SAMPLE_PERIOD ns each in metric 0, cpu-clock.
 */
#ifndef TESTS_SAMPLE_PROFILE_H
#define TESTS_SAMPLE_PROFILE_H

#include "model/meta.h"
#include "model/profile.h"

#define SAMPLE_PERIOD 10000000 /* ns: 100 Hz, so that expected values are round */
#define SAMPLE_KEPT   1000
#define SAMPLE_LOST   19
#define SAMPLE_DEPTH  60 /* of the deepest stack, the thread's level not counted */

/* A function and the letter by which the stacks below call it. */
struct sample_function {
	char key;
	uint8_t kind;
	uint8_t named;
	const char *name, *module, *file;
	uint32_t line;
};

static const struct sample_function sample_functions[] = {
	{'a', KIND_NATIVE, 1, "_start", "/usr/bin/sqlite3", "", 0},
	{'b', KIND_NATIVE, 1, "main", "/usr/bin/sqlite3", "shell.c", 24412},
	{'c', KIND_NATIVE, 1, "sqlite3_step", "/usr/lib/libsqlite3.so.0", "sqlite3.c", 89031},
	{'d', KIND_NATIVE, 1, "sqlite3VdbeExec", "/usr/lib/libsqlite3.so.0", "sqlite3.c", 93120},
	{'e', KIND_NATIVE, 1, "vdbeRecordCompareInt", "/usr/lib/libsqlite3.so.0", "sqlite3.c",
	 86612},
	{'f', KIND_NATIVE, 1, "sqlite3BtreeMovetoUnpacked", "/usr/lib/libsqlite3.so.0", "sqlite3.c",
	 72001},
	{'g', KIND_NATIVE, 1, "pread64", "/usr/lib/libc.so.6", "../sysdeps/pread64.c", 24},
	{'h', KIND_KERNEL, 1, "entry_SYSCALL_64_after_hwframe", "[kernel]", "", 0},
	{'i', KIND_KERNEL, 1, "do_syscall_64", "[kernel]", "", 0},
	{'j', KIND_KERNEL, 1, "ext4_file_read_iter", "[kernel]", "", 0},
	{'k', KIND_KERNEL, 1, "copy_page_to_iter", "[kernel]", "", 0},
	{'l', KIND_NATIVE, 1, "operator<", "/usr/lib/libfoo & bar.so", "foo <v2>.hpp", 7},
	{'m', KIND_NATIVE, 1, "say(\"hi; there\", std::less<long long>&&)",
	 "/usr/lib/libfoo & bar.so", "foo <v2>.hpp", 19},
	{'n', KIND_NATIVE, 1, "größe_von<Übergröße>", "/usr/lib/libfoo & bar.so", "größe.cc", 3},
	{'o', KIND_NATIVE, 1,
	 "std::__detail::__variant::__gen_vtable_impl<std::__detail::__variant::_Multi_array<std::"
	 "__detail::__variant::__deduce_visit_result<void> (*)(demo::visitor<std::map<std::string, "
	 "std::vector<unsigned long>>>&&, std::variant<int, double, std::string>&)>, std::integer_"
	 "sequence<unsigned long, 0ul>>::__visit_invoke(demo::visitor<std::map<std::string, std::"
	 "vector<unsigned long>>>&&, std::variant<int, double, std::string>&)",
	 "/usr/lib/libfoo & bar.so", "/usr/include/c++/12/variant", 1012},
	{'p', KIND_JIT, 1, "JS:*fib /srv/app/index.js:3:13", "//anon", "", 0},
	{'q', KIND_JIT, 1, "JS:~render /srv/app/index.js:40:1", "//anon", "", 0},
	{'r', KIND_NATIVE, 1, "node::Start(int, char**)", "/usr/bin/node", "node.cc", 1170},
	{'s', KIND_NATIVE, 0, "libcrypto.so.3+0x1f30", "/usr/lib/libcrypto.so.3", "", 0},
	{'t', KIND_UNKNOWN, 0, "[unknown] 0x7f0012345678", "", "", 0},
	{'u', KIND_VDSO, 1, "__vdso_clock_gettime", "[vdso]", "", 0},
	{'v', KIND_MARK, 1, "[stack cut]", "", "", 0},
	{'w', KIND_NATIVE, 1, "expr_walk", "/usr/lib/libsqlite3.so.0", "sqlite3.c", 110200},
	{'x', KIND_NATIVE, 1, "memcmp_inline", "/usr/lib/libsqlite3.so.0", "string_fortified.h",
	 29},
};

/* @count samples of one thread in one stack. Root first; an apostrophe before a letter marks the
 * frame as inlined, a digit before it repeats it ten times that. */
struct sample_stack {
	uint32_t thread;
	uint32_t count;
	const char *stack;
};

static const struct sample_stack sample_stacks[] =
	{
		{0, 300, "abcdfe"},	 {0, 150, "abcdfe'x"},	{0, 100, "abcdf"},
		{0, 60, "abcd"},	 {0, 80, "abcdfghijk"}, {0, 20, "abcdfghi"},
		{0, 10, "abcd5wdfghij"}, /* 4 + 50 + 6: SAMPLE_DEPTH */
		{1, 60, "ablm"},	 {1, 40, "abl'no"},	{1, 25, "abno"},
		{1, 5, "abu"},		 {2, 90, "rqp"},	{2, 30, "rqpp"},
		{2, 15, "rs"},		 {2, 10, "t"},		{2, 5, "vwd"},
};

static inline uint32_t sample_frame(struct profile *p, char key, bool inlined)
{
	const size_t n = sizeof(sample_functions) / sizeof(sample_functions[0]);

	for (size_t i = 0; i < n; i++) {
		const struct sample_function *s = &sample_functions[i];
		struct function f = {0};

		if (s->key != key)
			continue;
		f.name = intern_add(&p->strings, s->name);
		f.file = intern_add(&p->strings, s->file);
		f.line = s->line;
		f.module = s->module[0] ? profile_module(p, s->module, "0a1b2c3d4e5f") : 0;
		f.kind = s->kind;
		f.named = s->named;
		return profile_frame(p, &(struct frame){.function = profile_function(p, &f),
							.line = s->line ? s->line + 5 : 0,
							.inlined = inlined});
	}
	return 0;
}

static inline uint32_t sample_node(struct profile *p, const char *stack)
{
	uint32_t node = 0;

	while (*stack) {
		bool inlined = *stack == '\'';
		unsigned times = 1;

		if (inlined)
			stack++;
		if (*stack >= '1' && *stack <= '9')
			times = 10 * (unsigned)(*stack++ - '0');
		while (times--)
			node = profile_node(p, node, sample_frame(p, *stack, inlined));
		stack++;
	}
	return node;
}

static inline void sample_facts(struct profile *p)
{
	profile_set_meta(p, META_VERSION, "3.40.1");
	profile_set_meta(p, META_PLATFORM, "Linux-x86_64-testcpu");
	profile_set_meta(p, META_TIMESTAMP, "2026-03-01T12:00:00Z");
	profile_set_meta(p, META_SYSTEM, "Linux");
	profile_set_meta(p, META_ARCH, "x86_64");
	profile_set_meta(p, META_NODE, "bench-1");
	profile_set_meta(p, META_RELEASE, "6.1.0-18-amd64");
	profile_set_meta(p, META_PROCESSOR, "Testing CPU @ 3.00GHz");
	profile_set_meta(p, META_CORES, "8");
	profile_set_run(p, RUN_NAME, "sqlite3-2026-03-01T12:00:00Z");
	profile_set_run(p, RUN_COMMAND, "sqlite3 /tmp/a.db \"select count(*) from t where a<b;\"");
	profile_set_run(p, RUN_TARGET, "-p 4711,4800");
	profile_set_run(p, RUN_EVENTS, "cpu-clock at 100 Hz");
	profile_set_run(p, RUN_EVENT_CHOICE, "no PMU: cpu-clock instead of cycles");
	profile_set_run(p, RUN_END, "-d 10");
	profile_set_run(p, RUN_WRITTEN_BY, "eprof test");
	p->started_unix_ns = 1772366400000000000; /* 2026-03-01T12:00:00Z */
	p->duration_ns = 10000000000;
	p->hz = 100;
	profile_ledger(p, 0, LEDGER_TAKEN, "taken", SAMPLE_KEPT + SAMPLE_LOST);
	profile_ledger(p, 0, LEDGER_KEPT, "kept", SAMPLE_KEPT);
	profile_ledger(p, 0, LEDGER_LOST, "ring full", 12);
	profile_ledger(p, 0, LEDGER_LOST, "stack unreadable", 7);
	profile_ledger(p, 0, LEDGER_LOST, "stack table full", 0);
	profile_ledger(p, 0, LEDGER_NOTE, "stack cut at 512 frames", 5);
	profile_cost(p, "BPF run time", "ns", 2412345);
	profile_cost(p, "BPF run time per sample", "ns", 2367);
	profile_cost(p, "loader CPU time", "ns", 38123456);
	profile_cost(p, "eprof peak memory", "bytes", 23 * 1024 * 1024);
}

static inline struct profile *sample_profile(void)
{
	static const char *const names[] = {"sqlite3", "work;er<1>&\n", "node"};
	static const char *const processes[] = {"sqlite3", "sqlite3", "node"};
	static const uint32_t pids[] = {4711, 4711, 4800}, tids[] = {4711, 4712, 4800};
	struct profile *p = profile_new();
	uint64_t time_ns = 0;

	profile_metric_base(p, profile_metric(p, "cpu-clock", "ns", METRIC_SUM), METRIC_ON_CPU);
	for (int i = 0; i < 3; i++)
		profile_thread(p, &(struct thread){
					  .pid = pids[i],
					  .tid = tids[i],
					  .name = intern_add(&p->strings, names[i]),
					  .process = intern_add(&p->strings, processes[i]),
				  });
	for (size_t i = 0; i < sizeof(sample_stacks) / sizeof(sample_stacks[0]); i++) {
		const struct sample_stack *s = &sample_stacks[i];
		uint32_t node = sample_node(p, s->stack);

		for (uint32_t n = 0; n < s->count; n++, time_ns += SAMPLE_PERIOD)
			profile_sample(p, time_ns, s->thread, node, &(int64_t){SAMPLE_PERIOD});
	}
	sample_facts(p);
	return p;
}

#endif
