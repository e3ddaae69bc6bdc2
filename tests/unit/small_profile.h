/*
 * small_profile: profiles spelled as text, for the tests of the model and the store.
 */
#ifndef TESTS_SMALL_PROFILE_H
#define TESTS_SMALL_PROFILE_H

#include <string.h>

#include "model/profile.h"

/* Function @name and one frame of it. A '+' at its end: inlined. */
static inline uint32_t small_frame(struct profile *p, const char *name, size_t n)
{
	bool inlined = n && name[n - 1] == '+';
	struct function f = {.name = intern_addn(&p->strings, name, n - inlined), .named = 1};
	struct frame e = {.function = profile_function(p, &f), .line = 1, .inlined = inlined};

	return profile_frame(p, &e);
}

/* The node of a stack "main;a;b", root first, whose frames @frame makes. */
static inline uint32_t small_node_of(struct profile *p, const char *stack,
				     uint32_t (*frame)(struct profile *, const char *, size_t))
{
	uint32_t node = 0;

	while (*stack) {
		size_t n = strcspn(stack, ";");

		node = profile_node(p, node, frame(p, stack, n));
		stack += n + (stack[n] == ';');
	}
	return node;
}

static inline uint32_t small_node(struct profile *p, const char *stack)
{
	return small_node_of(p, stack, small_frame);
}

static inline uint32_t small_thread(struct profile *p, uint32_t pid, uint32_t tid, const char *name,
				    const char *process)
{
	struct thread t = {.pid = pid,
			   .tid = tid,
			   .name = intern_add(&p->strings, name),
			   .process = intern_add(&p->strings, process)};

	return profile_thread(p, &t);
}

static inline void small_sample(struct profile *p, uint64_t time_ns, uint32_t thread,
				const char *stack, int64_t value)
{
	const int64_t values[] = {value, 1};

	profile_sample(p, time_ns, thread, small_node(p, stack), values);
}

/* Threads main (10/10) and worker (10/11) of "prog", cc1 (20/20) of "make". */
static inline struct profile *small_profile(void)
{
	struct profile *p = profile_new();

	profile_metric(p, "cpu-clock", "ns", METRIC_SUM);
	profile_metric(p, "faults", "events", METRIC_COUNT);
	small_thread(p, 10, 10, "main", "prog");
	small_thread(p, 10, 11, "worker", "prog");
	small_thread(p, 20, 20, "cc1", "make");
	small_sample(p, 100, 0, "main;a;b", 10);
	small_sample(p, 200, 0, "main;a;b;a", 20);
	small_sample(p, 300, 0, "main;a", 5);
	small_sample(p, 400, 1, "main;z;a", 7);
	small_sample(p, 500, 2, "main;fold+;a", 1);
	small_sample(p, 600, 2, "main;a", 0);
	profile_ledger(p, 0, LEDGER_TAKEN, "taken", 6);
	profile_ledger(p, 0, LEDGER_KEPT, "kept", 5);
	profile_ledger(p, 0, LEDGER_LOST, "ring full", 1);
	profile_cost(p, "BPF run time", "ns", 1.5e6);
	profile_set_meta(p, "version", "v1.2.0+dirty");
	profile_set_meta(p, "platform_id", "linux-x86_64-cpu");
	profile_set_run(p, "name", "prog-1");
	profile_set_run(p, "command", "./prog größe");
	p->started_unix_ns = INT64_C(1700000000000000001);
	p->duration_ns = 1000;
	p->hz = 99;
	return p;
}

static inline void small_reason(struct profile *p, size_t sample, enum reason_kind kind, char state,
				const char *call, const char *object)
{
	const struct reason r = {.kind = (uint8_t)kind,
				 .idle = reason_kind_is_idle(kind),
				 .state = (uint8_t)state,
				 .call = intern_add(&p->strings, call),
				 .object = intern_add(&p->strings, object)};

	p->samples.at[sample].reason = profile_reason(p, &r);
}

/* The same, whose first metric is of waits: of 10 and 5 for locks, 20 asleep, 7 runnable, and 1
 * that is none. */
static inline struct profile *small_waits(void)
{
	struct profile *p = small_profile();

	profile_add_part(p, PART_OFFCPU);
	small_reason(p, 0, REASON_LOCK, 'S', "futex", "app:queue_lock");
	small_reason(p, 1, REASON_SLEEP, 'S', "clock_nanosleep", "");
	small_reason(p, 2, REASON_LOCK, 'D', "futex", "app:other_lock");
	small_reason(p, 3, REASON_RUNNABLE, 'R', "", "");
	return p;
}

#endif
