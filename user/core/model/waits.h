/*
 * waits: exact times of threads off the CPU, where samples are estimates: by thread; and by CPU,
 * how long threads were runnable before they got it. And what kept threads waiting: who ran while
 * they were ready without a CPU, and who ended their waits or held what they waited for.
 */
#ifndef MODEL_WAITS_H
#define MODEL_WAITS_H

#include <stdbool.h>
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
	int64_t nice; /* -20 … 19, as it was last; less than that: real time */
	int64_t quota_ns,
		period_ns; /* CPU time that its cgroups may use of each period; 0: no limit */
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
	to->nice = w->nice;
	to->quota_ns = w->quota_ns;
	to->period_ns = w->period_ns;
}

/* A bin, not empty, of a histogram of how long threads were runnable before they got a CPU, whether
 * or not they were blocked before. */
struct run_queue {
	uint32_t cpu;
	int64_t low_ns, high_ns; /* low <= time < high; the bins of a CPU ascend */
	int64_t waits;
};

enum blocker_by {
#define BLOCKER(NAME, text) BLOCKER_##NAME,
#include "model/blockers.def"
#undef BLOCKER
	BLOCKER_KINDS
};

/* Time that a thread waited for one cause. */
struct blocker {
	uint32_t thread;   /* who waited */
	uint8_t by;	   /* enum blocker_by */
	uint32_t pid, tid; /* who kept it waiting; 0: no thread */
	uint32_t name;	   /* of that thread, or of the kind of interrupt: a string */
	uint32_t reason;   /* what it waited for; 0: a CPU */
	int64_t ns;
};

/* Of a wait for a CPU. */
static inline bool blocker_is_of_cpu(uint8_t by)
{
	return by <= BLOCKER_ELSEWHERE;
}

/* Says who held a lock. */
static inline bool blocker_is_holder(uint8_t by)
{
	return by == BLOCKER_HELD || by == BLOCKER_HELD_KERNEL;
}

/* Says how a wait ended. */
static inline bool blocker_is_of_end(uint8_t by)
{
	return by >= BLOCKER_WOKE && by <= BLOCKER_OPEN;
}

/* In a stack of the metric "woken": the frame after which the waker's name and stack follow. */
#define MARK_WOKEN_BY "[woken by]"

/* "ran on its CPU". */
const char *blocker_text(enum blocker_by);

#endif
