/*
 * golden: profiles that exporters and importers must bring through whole: hostile names, recursion,
 * inlined frames, several metrics, functions with several callers. After cmocka.
 */
#ifndef TESTS_GOLDEN_H
#define TESTS_GOLDEN_H

#include "base/str.h"
#include "imported.h"
#include "sample_profile.h"
#include "small_profile.h"

#define LONG_NAME 10240

static inline char *long_name(void)
{
	char *s = mem_zalloc(LONG_NAME + 1, 1);

	for (size_t i = 0; i < LONG_NAME; i++)
		s[i] = (char)('a' + i % 26);
	return s;
}

/* Function, file, module and thread of the same name, in stacks of one and two. */
static inline void add_name(struct profile *p, const char *name, int64_t value)
{
	const struct function f = {.name = intern_add(&p->strings, name),
				   .file = intern_add(&p->strings, name),
				   .module = profile_module(p, name, "0a1b2c"),
				   .line = 3,
				   .named = 1};
	const uint32_t frame =
		profile_frame(p, &(struct frame){.function = profile_function(p, &f), .line = 4});
	const uint32_t thread = small_thread(p, 7, 70 + (uint32_t)p->threads.n, name, name);
	const uint32_t node = profile_node(p, 0, frame);

	profile_sample(p, 0, thread, node, &value);
	profile_sample(p, 0, thread, profile_node(p, node, small_frame(p, "leaf", 4)), &value);
}

/* Names that break careless writers and readers. */
static inline struct profile *hostile(void)
{
	static const char *const names[] = {
		"semi;colon",	"two\nlines",
		"a b  c",	"<script>alert(1)</script>",
		"größe_größer", "日本語",
		"quote \" \\",	"fn=(1) cfn=(2)",
		"(3) x",	"# no comment",
		"a,b",		"*",
		"42",		"x 42",
		"tab\there",	"\xff bad utf8",
		"thread x",	"ends in _[k] no",
		"a=b:c",	"__",
	};
	struct profile *p = profile_new();
	_free_ char *longest = long_name();

	profile_metric(p, "cpu clock=\"x\": y", "ns", METRIC_SUM);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		add_name(p, names[i], 100 + (int64_t)i);
	add_name(p, longest, 1);
	profile_set_run(p, "command", "sh -c \"x\ny\"");
	return p;
}

/* A function below itself, alone and by way of another; what is inlined into it and into that. */
static inline struct profile *recursion(void)
{
	static const char *const stacks[] = {
		"main;a;a;a",	"main;a;b;a;b",	  "main;a;in+;deep+;a", "main;in+", "a",
		"main;a;b;in+", "main;a;in+;in+", "main;b;in+;a+",	"main;a",
	};
	struct profile *p = profile_new();

	profile_metric(p, "cpu-clock", "ns", METRIC_SUM);
	profile_metric(p, "cpu-clock", "events", METRIC_COUNT);
	profile_metric(p, "page faults", "events", METRIC_COUNT);
	profile_metric(p, "page_faults", "events", METRIC_COUNT);
	profile_metric(p, "heap", "bytes", METRIC_SUM);
	small_thread(p, 1, 1, "t", "t");
	small_thread(p, 1, 2, "u", "t");
	for (size_t i = 0; i < sizeof(stacks) / sizeof(*stacks); i++) {
		const int64_t n = (int64_t)i + 1, values[] = {n, n * 3, i % 2, n * 5, n << 40};

		profile_sample(p, i, i % 2, small_node(p, stacks[i]), values);
	}
	return p;
}

/* A metric called as the number of samples is. */
static inline struct profile *samples_metric(void)
{
	return imported("folded", "t;main;a 4\nt;main;b 3\nu;main 2\nu;c;d 1\n");
}

/* Unnamed code, whose address `eprof name` needs. */
static inline struct profile *unnamed(void)
{
	struct profile *p = profile_new();
	const struct function f = {.name = intern_add(&p->strings, "libx.so+0x1f30"),
				   .module = profile_module(p, "/lib/libx.so", "ab12")};
	const uint32_t function = profile_function(p, &f);
	uint32_t node = 0;

	profile_metric(p, "cpu-clock", "ns", METRIC_SUM);
	small_thread(p, 1, 1, "t", "t");
	for (uint64_t at = 0x1f34; at < 0x1f38; at++) {
		node = profile_node(
			p, node,
			profile_frame(p, &(struct frame){.function = function, .address = at}));
		profile_sample(p, at, 0, node, &(int64_t){7});
	}
	return p;
}

/* Functions with several callers, in two threads. */
static inline struct profile *diamond(void)
{
	static const char *const stacks[] = {"main;a;c;e",  "main;b;c;e", "main;a;c;f+",
					     "main;b;d;e",  "main;b",	  "main;a;c",
					     "start;b;c;f+"};
	struct profile *p = profile_new();

	profile_metric(p, "cpu-clock", "ns", METRIC_SUM);
	profile_metric(p, "faults", "events", METRIC_COUNT);
	small_thread(p, 1, 1, "t", "t");
	small_thread(p, 1, 2, "thread of its own", "t");
	for (size_t i = 0; i < 4 * sizeof(stacks) / sizeof(*stacks); i++)
		small_sample(p, i, i % 3 == 0, stacks[i / 4], 1000003 * (int64_t)(i + 1));
	return p;
}

#endif
