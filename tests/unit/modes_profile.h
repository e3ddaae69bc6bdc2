/*
 * modes_profile: a profile whose answers one can work out by hand, for the page's ways to show
 * samples: threads, times, recursion, a kernel and a library. Ten samples of 10 ms, a second apart.
 */
#ifndef TESTS_MODES_PROFILE_H
#define TESTS_MODES_PROFILE_H

#include "small_profile.h"

#define MODES_VALUE 10000000

/* k… is of the kernel, l… of libx.so, all else of prog. */
static inline uint32_t modes_frame(struct profile *p, const char *name, size_t n)
{
	const bool kernel = name[0] == 'k';
	const char *module = kernel ? "[kernel]" : name[0] == 'l' ? "/lib/libx.so" : "/bin/prog";
	const struct function f = {.name = intern_addn(&p->strings, name, n),
				   .module = profile_module(p, module, ""),
				   .kind = kernel ? KIND_KERNEL : KIND_NATIVE,
				   .named = 1};

	return profile_frame(p, &(struct frame){.function = profile_function(p, &f)});
}

static inline struct profile *modes_profile(void)
{
	static const struct {
		uint32_t thread;
		const char *stack;
	} samples[] = {
		{0, "main;work"},
		{0, "main;work;read;k1;k2"},
		{0, "main;work"},
		{0, "main;fib;fib;fib"},
		{0, "main;fib;fib;aux;fib"},
		{1, "main;work;lx;ly"},
		{2, "main;lx;cb;ly"},
		{3, "main;work"},
		{3, "main"},
		{0, "main;work"},
	};
	struct profile *p = profile_new();

	profile_metric_base(p, profile_metric(p, "cpu-clock", "ns", METRIC_SUM), METRIC_ON_CPU);
	profile_add_part(p, PART_SAMPLES);
	small_thread(p, 10, 10, "main", "prog");
	small_thread(p, 10, 11, "worker", "prog");
	small_thread(p, 10, 12, "worker", "prog");
	small_thread(p, 20, 20, "cc1", "make");
	for (size_t i = 0; i < p->threads.n; i++)
		p->threads.at[i].cgroup = intern_add(&p->strings, i < 3 ? "/a" : "/b");
	for (size_t i = 0; i < sizeof(samples) / sizeof(*samples); i++)
		profile_sample(p, i * UINT64_C(1000000000), samples[i].thread,
			       small_node_of(p, samples[i].stack, modes_frame),
			       &(int64_t){MODES_VALUE});
	p->duration_ns = INT64_C(10000000000);
	p->hz = 100;
	return p;
}

#endif
