/*
 * lanes_profile: what threads did in one second, with answers that one can work out by hand:
 *
 *	main 10		ran for 100 ms, waited for a pipe for 300, then for a CPU for 100
 *	sleeper 11	slept for all of it
 *	cc1 20		was kept from its CPU from 500 to 550 ms
 *	idle 100 …	37 threads that slept for 1 ms at the end
 */
#ifndef TESTS_LANES_PROFILE_H
#define TESTS_LANES_PROFILE_H

#include "model/meta.h"

#include "small_profile.h"

#define LANES_MS 1000000

/* A sample whose time ends at @end_ms. */
static inline void lanes_sample(struct profile *p, unsigned end_ms, uint32_t thread,
				const int64_t *ms, enum reason_kind kind)
{
	const int64_t values[] = {ms[0] * LANES_MS, ms[1] * LANES_MS, ms[2] * LANES_MS};

	profile_sample(p, (uint64_t)end_ms * LANES_MS - 1, thread,
		       small_node(p, ms[0] ? "main;work" : "main;wait"), values);
	if (kind)
		small_reason(p, p->samples.n - 1, kind, 'S', "", "");
}

static inline struct profile *lanes_profile(void)
{
	struct profile *p = profile_new();
	uint32_t thread;

	profile_metric_base(p, profile_metric(p, "cpu-clock", "ns", METRIC_SUM), METRIC_ON_CPU);
	profile_metric_base(p, profile_metric(p, "blocked", "ns", METRIC_SUM), "time blocked");
	profile_metric_base(p, profile_metric(p, "runnable", "ns", METRIC_SUM), "time runnable");
	profile_add_part(p, PART_SAMPLES);
	profile_add_part(p, PART_OFFCPU);
	small_thread(p, 10, 10, "main", "prog");
	small_thread(p, 10, 11, "sleeper", "prog");
	small_thread(p, 20, 20, "cc1", "make");
	for (unsigned end_ms = 10; end_ms <= 100; end_ms += 10)
		lanes_sample(p, end_ms, 0, (int64_t[]){10, 0, 0}, REASON_NONE);
	lanes_sample(p, 500, 0, (int64_t[]){0, 300, 100}, REASON_PIPE);
	lanes_sample(p, 1000, 1, (int64_t[]){0, 1000, 0}, REASON_SLEEP);
	lanes_sample(p, 550, 2, (int64_t[]){0, 0, 50}, REASON_RUNNABLE);
	for (unsigned i = 0; i < 37; i++) {
		thread = small_thread(p, 20, 100 + i, "idle", "make");
		lanes_sample(p, 1000, thread, (int64_t[]){0, 1, 0}, REASON_SLEEP);
	}
	profile_set_run(p, RUN_METRIC, "wall");
	p->duration_ns = INT64_C(1000000000);
	p->hz = 100;
	return p;
}

#endif
