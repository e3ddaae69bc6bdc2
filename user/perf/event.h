/*
 * event: perf events by perf's names: parses and opens them. Used by session, sideband and
 * features.
 */
#ifndef PERF_EVENT_H
#define PERF_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "perf/tracepoint_fields.h"

enum event_class {
	EVENT_SAMPLED,	  /* sampled at a rate (-F); each hit stands for a period */
	EVENT_TRACEPOINT, /* every hit counts once */
};

struct event {
	char name[128]; /* as the user wrote it, with modifiers */
	enum event_class class;
	uint32_t type; /* PERF_TYPE_… */
	uint64_t config;
	bool clock;			   /* its period is ns of CPU time */
	bool counted;			   /* a software event: a program can see each hit */
	bool exclude_user, exclude_kernel; /* modifiers :k and :u */
	struct tracepoint_fields fields;   /* of a tracepoint: what its samples are labelled with */
	/* Set by event_pace(). */
	uint64_t every;	  /* samples every Nth hit; 0: by rate, a tracepoint's every hit */
	uint64_t most_hz; /* counted by rate: samples per second and CPU; up to that, every hit */
};

/* Parses "cycles", "page-faults", "L1-dcache-load-misses", "sched:sched_switch", "r01c2" or
 * "msr/tsc/", followed by :u, :k or :uk except for tracepoints, whose name may be followed by
 * fields: "sched:sched_switch/prev_state/". -EINVAL for a name that is none of these, -ENOENT for a
 * tracepoint or hardware event that this kernel does not have; both with a text. */
int event_parse(const char *name, struct event *out);
/* The next name of a list, cut off; NULL: there is none. Commas between slashes belong to a name:
 * "cpu/event=0xc0,umask=1/", "block:block_rq_issue/dev,sum=bytes/". */
char *event_next(char **list);
/* The type of the events of a PMU, for perf_event_attr; false: this machine has no such unit. */
bool event_pmu_type(const char *pmu, uint32_t *type);

/* Whether its hits are spread over CPU time, like those of a clock or of cycles. Sampled by task,
 * such events miss threads shorter than a period. */
bool event_is_timed(const struct event *);

/* Excludes the kernel, and appends ":u" to the name. For clocks and the like; leaves an event alone
 * that was asked for in the kernel only. */
void event_user_only(struct event *);

/* Samples a second and CPU of what is counted, where nothing is said. A sample costs some 2 µs: at
 * this rate, 2 % of a CPU. */
#define EVENT_COUNTED_HZ 10000

/* Decides which hits become samples: each @every-th unless 0, else by rate @hz (0: the default).
 * -EINVAL with a text for a period that the kernel's timers cannot do. */
int event_pace(struct event *, uint64_t every, uint64_t hz);

/* Whether it is sampled at -F HZ. */
bool event_has_rate(const struct event *);
/* Whether the BPF programs choose its samples: wire_step. */
bool event_is_stepped(const struct event *);

/* Whether both count the same, under whatever names. */
bool event_same(const struct event *, const struct event *);

/* cycles if there is a PMU, else cpu-clock. *@why is a static sentence for the user. */
void event_default(struct event *out, const char **why);

/* perf_event_open(2), which libc does not wrap. */
int event_syscall(struct perf_event_attr *, pid_t pid, int cpu, int group_fd, unsigned long flags);

enum event_scope {
	EVENT_TASK,	    /* id: a thread; children inherit it if requested */
	EVENT_CPU,	    /* id: a CPU, all tasks */
	EVENT_CPU_IN_CGROUP /* id: a CPU, tasks of the cgroup */
};
struct event_where {
	enum event_scope scope;
	int id;
	int cgroup_fd;
	bool inherit;	     /* EVENT_TASK: include later threads and children */
	bool enable_on_exec; /* otherwise it starts disabled */
};

/* Opens a sampled event at @hz. Returns the descriptor, or a negative errno with a text that names
 * the missing privilege if that is the cause. */
int event_open(const struct event *, double hz, const struct event_where *);
/* Sets the text of event_open() for errno @code, and returns it negative. @w NULL: for a
 * counter. */
int event_error(const struct event *, const struct event_where *w, int code);
/* Opens a counter of all tasks on @cpu, enabled. Errors as event_open(). */
int event_open_counter(const struct event *, int cpu);
/* Opens a tracepoint to attach a program to, which then sees the hits of all tasks. */
int event_open_tracepoint(const struct event *);

/* kernel.perf_event_max_sample_rate; 100000 if unreadable. */
int64_t event_max_hz(void);

/* The name under which the kernel lets @function be probed: its own, or the one that the compiler
 * gave it when it changed its arguments ("f.isra.0"). Tries them: needs the right to perf events.
 * Owned by the caller; NULL: it cannot be probed. */
char *kprobe_name(const char *function);

#endif
