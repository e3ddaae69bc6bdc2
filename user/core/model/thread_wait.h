/*
 * thread_wait: how long a thread was off the CPU, all in all: exact, where the samples of waits are
 * estimates. One row per thread, under its last name.
 */
#ifndef MODEL_THREAD_WAIT_H
#define MODEL_THREAD_WAIT_H

#include <stdint.h>

struct thread_wait {
	uint32_t thread;
	int64_t blocked_ns, runnable_ns; /* from the capture's start, or its birth, to its end */
	int64_t waits;			 /* how often it left a CPU and came back */
};

#endif
