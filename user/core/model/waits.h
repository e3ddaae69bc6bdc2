/*
 * waits: exact times of threads off the CPU, where samples are estimates: by thread; and by CPU,
 * how long threads were runnable before they got it.
 */
#ifndef MODEL_WAITS_H
#define MODEL_WAITS_H

#include <stdint.h>

/* How long a thread was on a CPU, runnable and blocked. The three add up to its life within the
 * capture. One row a thread, under its last name. */
struct thread_wait {
	uint32_t thread;
	int64_t on_ns, blocked_ns, runnable_ns; /* older files have on_ns 0 */
	int64_t waits;				/* how often it left a CPU and came back */
	/* How often it left a CPU to block, and while still runnable: also waits that were not over
	 * at the end, but not one that began before the capture. */
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

/* A bin, not empty, of a histogram of how long threads were runnable before they got a CPU, whether
 * or not they were blocked before. */
struct run_queue {
	uint32_t cpu;
	int64_t low_ns, high_ns; /* low <= time < high; the bins of a CPU ascend */
	int64_t waits;
};

#endif
