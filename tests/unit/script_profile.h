/*
 * script_profile: functions of a script, of its packages, and of native code, that call each other,
 * for the tests of what shows them.
 */
#ifndef TESTS_SCRIPT_PROFILE_H
#define TESTS_SCRIPT_PROFILE_H

#include "model/profile.h"

#include "small_profile.h"

/* "save@/opt/app/shop.py:10": a function of Python; "vfs_read_k" one of the kernel; others are
 * native. */
static inline uint32_t script_frame(struct profile *p, const char *text, size_t n)
{
	_free_ char *name = mem_strndup(text, n);
	char *file = strchr(name, '@'), *line = file ? strrchr(file, ':') : NULL;
	struct function f = {.named = 1};
	struct frame e = {0};

	if (!file && n > 2 && !strcmp(name + n - 2, "_k"))
		f.kind = KIND_KERNEL;
	if (file) {
		*file++ = *line++ = 0;
		f.kind = KIND_PYTHON;
		f.file = intern_add(&p->strings, file);
		f.line = 1;
		f.module = profile_module(p, file, "");
		e.line = (uint32_t)strtoul(line, NULL, 10);
	}
	f.name = intern_add(&p->strings, name);
	e.function = profile_function(p, &f);
	return profile_frame(p, &e);
}

static inline void script_sample(struct profile *p, const char *stack, int64_t value)
{
	profile_sample(p, 10 * p->samples.n, 0, small_node_of(p, stack, script_frame), &value);
}

/* 45 ns: 35 in the script, 10 of these in the kernel; 7 in native code alone; 3 in a stack that has
 * nothing else than the script. */
static inline struct profile *script_profile(void)
{
	struct profile *p = profile_new();

	profile_add_part(p, PART_SAMPLES);
	p->duration_ns = 1000;
	profile_metric(p, "cpu-clock", "ns", METRIC_SUM);
	small_thread(p, 10, 10, "python3", "python3");
	script_sample(p, "main;run@/opt/app/prog.py:7;save@/opt/app/shop.py:10;write;vfs_write_k",
		      10);
	script_sample(p, "main;run@/opt/app/prog.py:7;save@/opt/app/shop.py:11", 20);
	script_sample(
		p, "main;run@/opt/app/prog.py:8;dumps@/usr/lib/python3.11/json/__init__.py:231", 5);
	script_sample(p, "main;collect", 7);
	script_sample(p, "run@/opt/app/prog.py:7", 3);
	profile_ledger(p, 0, LEDGER_TAKEN, "taken", 5);
	profile_ledger(p, 0, LEDGER_KEPT, "kept", 5);
	return p;
}

#endif
