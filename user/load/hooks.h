/*
 * hooks: the perf events of a session: opened for its target, each with a program attached.
 */
#ifndef LOAD_HOOKS_H
#define LOAD_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "load/births.h"
#include "load/target.h"
#include "perf/event.h"
#include "wire.h"

/* How sampled events are opened for -p and --. */
enum sampler {
	SAMPLER_AUTO, /* as sampling_choose() finds best */
	SAMPLER_TASK, /* an event a thread, inherited: only the target pays */
	SAMPLER_CPU,  /* an event a CPU, filtered in BPF: threads that are shorter than a period
		       * are sampled like others */
};

/* That, by what the events count. */
struct sampling {
	enum sampler time;   /* clocks and cycles: event_is_timed() */
	enum sampler counts; /* page faults and the like */
};

struct hooks_options {
	const struct event *events; /* borrowed, as the target */
	size_t n_events;
	double hz;
	const struct target *target;
	struct sampling by;	      /* none AUTO */
	int program_fds[WIRE_EVENTS]; /* of each event */
};

/* An opened event. */
struct hook {
	int fd;
	uint32_t event;
};

/* A zeroed one with its options set is ready. */
struct hooks {
	struct hooks_options o;
	VEC(struct hook) at;
	struct births opened; /* threads */
	bool started;
};

/* Opens the events, stopped. Errors with a text. */
int hooks_attach(struct hooks *);
/* Opens the events for a process of the target that was found later. -ESRCH when it is gone. */
int hooks_add(struct hooks *, uint32_t pid);
/* A thread of the target was born. Whether it was missed, being born before its parent's event was
 * there: it is taken in then, unless it has exited. */
bool hooks_adopt(struct hooks *, uint32_t parent_tid, uint32_t tid, uint64_t born_ns);
int hooks_start(struct hooks *);
/* While it runs: clocks and cycles by CPU from now on instead of by task. Errors with a text, after
 * which all goes on as before. */
int hooks_change_over(struct hooks *);
void hooks_stop(struct hooks *);
/* The event's own count (ns of a clock) over all that was opened, children included; 0 for
 * tracepoints. */
uint64_t hooks_count(const struct hooks *, size_t event);
void hooks_release(struct hooks *);

#endif
