/*
 * waits: how long threads were off the CPU, exact, where samples are estimates: by thread, and by
 * CPU how long they were runnable before they got it.
 */
#ifndef MODEL_WAITS_H
#define MODEL_WAITS_H

#include <stdint.h>

/* How long a thread was on a CPU, runnable and blocked. The three add up to its life within the
 * capture, from the capture's start or its birth to the capture's end or its exit. One row per
 * thread, under its last name. */
struct thread_wait {
	uint32_t thread;
	int64_t on_ns, blocked_ns, runnable_ns; /* on_ns 0 in files of before it was measured */
	int64_t waits;				/* how often it left a CPU and came back */
	/* How often it left a CPU: to block, and although it could go on. The wait may have gone on
	 * at the end, and one may have begun before the capture. */
	int64_t voluntary, involuntary;
};

static inline int64_t thread_wait_life(const struct thread_wait *w)
{
	return w->on_ns + w->blocked_ns + w->runnable_ns;
}

static inline void thread_wait_add(struct thread_wait *to, const struct thread_wait *w)
{
	to->on_ns += w->on_ns;
	to->blocked_ns += w->blocked_ns;
	to->runnable_ns += w->runnable_ns;
	to->waits += w->waits;
	to->voluntary += w->voluntary;
	to->involuntary += w->involuntary;
}

/* A histogram of all waits of threads that were runnable, whether or not they were blocked before,
 * by the CPU that they got: a bin that is not empty. */
struct run_queue {
	uint32_t cpu;
	int64_t low_ns, high_ns; /* low <= time < high; the bins of a CPU ascend */
	int64_t waits;
};

#endif
