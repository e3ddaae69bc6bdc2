/*
 * hooks: the perf events of a session: opened for its target, each with a program attached.
 */
#ifndef LOAD_HOOKS_H
#define LOAD_HOOKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/vec.h"
#include "load/target.h"
#include "perf/event.h"
#include "wire.h"

#define BIRTHS_NEVER UINT64_MAX

/* Since when threads or processes have had an attribute that their later children inherit. A zeroed
 * struct is valid and empty. */
struct births {
	struct map at; /* id → index in since_ns */
	VEC(uint64_t) since_ns;
};

/* Notes that @id has had the attribute since @since_ns, CLOCK_MONOTONIC, or BIRTHS_NEVER. */
void births_note(struct births *, uint32_t id, uint64_t since_ns);
/* Whether @child, born to @parent at @born_ns, inherited the attribute; if so, notes it. */
bool births_inherit(struct births *, uint32_t parent, uint32_t child, uint64_t born_ns);
void births_release(struct births *);

/* How sampled events are opened for -p and --. */
enum sampler {
	SAMPLER_AUTO, /* as sampling_choose() decides */
	SAMPLER_TASK, /* one event per thread, inherited: only the target pays */
	SAMPLER_CPU,  /* one event per CPU, filtered in BPF: includes threads shorter than a period
		       */
};

/* The sampler by what an event counts. */
struct sampling {
	enum sampler time;   /* clocks and cycles: event_is_timed() */
	enum sampler counts; /* page faults and the like */
};

struct hooks_options {
	const struct event *events; /* borrowed, like the target */
	size_t n_events;
	double hz;
	const struct target *target;
	struct sampling by;	      /* never AUTO */
	int program_fds[WIRE_EVENTS]; /* by event */
};

/* An event, opened. */
struct hook {
	int fd;
	uint32_t event;
	int cpu;	/* -1: not opened by CPU */
	uint64_t count; /* counted by earlier events that this one replaced */
};

/* A struct zeroed except for its options is valid. */
struct hooks {
	struct hooks_options o;
	VEC(struct hook) at;
	struct births opened; /* threads */
	bool started;
};

/* Opens the events, disabled. Errors with a text. */
int hooks_attach(struct hooks *);
/* Opens the events for a process of the target that was found later. -ESRCH if it has ended. */
int hooks_add(struct hooks *, uint32_t pid);
/* Handles the birth of a thread of the target. Returns whether the events missed it, since its
 * parent's event did not exist yet; then opens them for it, unless it has exited. */
bool hooks_adopt(struct hooks *, uint32_t parent_tid, uint32_t tid, uint64_t born_ns);
/* Whether that event is opened by task. */
bool hooks_sample_tasks(const struct hooks *, size_t event);
int hooks_start(struct hooks *);
/* During the capture: samples clocks and cycles by CPU instead of by task from now on. Errors with
 * a text; then nothing has changed. */
int hooks_change_over(struct hooks *);
/* Reopens events by CPU on CPUs that came online: see struct cpu_watch. An event that cannot be
 * opened stays as it is; the ledger counts the CPU time that no tick samples. */
void hooks_renew(struct hooks *, const int *cpus, int n);
void hooks_stop(struct hooks *);
/* The event's own count (ns for a clock) over all that was opened, including children; 0 for
 * tracepoints. */
uint64_t hooks_count(const struct hooks *, size_t event);
void hooks_release(struct hooks *);

#endif
