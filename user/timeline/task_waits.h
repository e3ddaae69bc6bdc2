/*
 * task_waits: how long threads were off the CPU, and how much of that ready to run, by the events
 * of switches and wake-ups as they come.
 */
#ifndef TIMELINE_TASK_WAITS_H
#define TIMELINE_TASK_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/vec.h"
#include "wire_event.h"

/* Since when a thread is off the CPU, and since when it could run; 0: it is on one, or unknown. */
struct task_off {
	uint64_t out_ns, ready_ns;
	uint64_t ran; /* the serial of its last WIRE_EVENT_IN; 0: it has left the CPU since */
};

struct task_waits {
	struct map by_task; /* pid, tid → place in off */
	VEC(struct task_off) off;
};

/* What ends with a WIRE_EVENT_IN; 0: unknown. */
struct task_waited {
	uint64_t off_ns, ready_ns;
	/* Of a WIRE_EVENT_WAKEUP: it stands after the run that it caused. The kernel wakes a thread
	 * before that can run, so the place that the event took is before that of the run; if its
	 * time is not, the clocks of two CPUs disagree. */
	bool late;
};

/* Takes any event, in order of time; times are 0 if it is no WIRE_EVENT_IN. */
struct task_waited task_waits_take(struct task_waits *, const struct wire_event *);
void task_waits_release(struct task_waits *);

static inline uint64_t task_key(uint32_t pid, uint32_t tid)
{
	return (uint64_t)pid << 32 | tid;
}

#endif
