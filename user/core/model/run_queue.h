/*
 * run_queue: how long threads were runnable before they got a CPU, by that CPU: a histogram of all
 * their waits, whether or not they were blocked before. Exact, where the samples of waits are
 * estimates.
 */
#ifndef MODEL_RUN_QUEUE_H
#define MODEL_RUN_QUEUE_H

#include <stdint.h>

/* A bin that is not empty. */
struct run_queue {
	uint32_t cpu;
	int64_t low_ns, high_ns; /* low <= time < high; the bins of a CPU ascend */
	int64_t waits;
};

#endif
