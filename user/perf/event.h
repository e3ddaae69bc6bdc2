/*
 * event: perf events by perf's names: parsed here, opened here. Used by session, sideband and
 * features.
 */
#ifndef PERF_EVENT_H
#define PERF_EVENT_H

#include <stdbool.h>
#include <stdint.h>
#include <linux/perf_event.h>
#include <sys/types.h>

enum event_class {
	EVENT_SAMPLED,	  /* hits come at a rate (-F) and stand for a period each */
	EVENT_TRACEPOINT, /* every hit counts, once */
	EVENT_PROBE,	  /* hits of an action's probes: nothing to open */
};

struct event {
	char name[128]; /* as it was asked for, modifiers included */
	enum event_class class;
	uint32_t type; /* PERF_TYPE_… */
	uint64_t config;
	bool clock;			   /* its period is in ns of time on the CPU */
	bool counted;			   /* of the kernel's own: a program can see each */
	bool exclude_user, exclude_kernel; /* modifiers :k and :u */
	/* By event_pace(). */
	uint64_t every;	  /* each so manieth is a sample; 0: by rate, of a tracepoint each */
	uint64_t most_hz; /* counted, by rate: samples a second and CPU; what there is up to that
			   * is sampled each by each */
};

/* "cycles", "page-faults", "L1-dcache-load-misses", "sched:sched_switch", "r01c2", "msr/tsc/";
 * then, but for tracepoints, :u, :k or :uk. -EINVAL for a name that is none of these, -ENOENT for a
 * tracepoint or hardware event that this kernel does not have; both with a text. */
int event_parse(const char *name, struct event *out);

/* Its hits are spread over time on a CPU, as those of a clock or of cycles are: sampled by task,
 * they miss what is shorter than a period. */
bool event_is_timed(const struct event *);

/* Leaves out what runs in the kernel, and says so in its name: ":u". Of clocks and the like; not of
 * what was asked of the kernel alone. */
void event_user_only(struct event *);

/* Says which events are to be samples: each @every-th, where that is not 0, else by rate. @hz: 0:
 * as is usual. -EINVAL with a text for a period that the kernel's timers do not have. */
int event_pace(struct event *, uint64_t every, uint64_t hz);

/* Whether its samples come at -F HZ. */
bool event_has_rate(const struct event *);
/* Whether the programs take steps of its hits: wire_step. */
bool event_is_stepped(const struct event *);

/* The samples of an action of probes, of that number. */
struct event event_of_probes(const char *metric, uint64_t action);

/* Whether they count the same, by whatever names. */
bool event_same(const struct event *, const struct event *);

/* cycles where there is a PMU, else cpu-clock. @why is a static sentence for the user. */
void event_default(struct event *out, const char **why);

/* perf_event_open(2) without a libc. */
int event_syscall(struct perf_event_attr *, pid_t pid, int cpu, int group_fd, unsigned long flags);

enum event_scope {
	EVENT_TASK,	    /* id: a thread; children inherit where asked for */
	EVENT_CPU,	    /* id: a CPU, all tasks */
	EVENT_CPU_IN_CGROUP /* id: a CPU, tasks of the cgroup */
};
struct event_where {
	enum event_scope scope;
	int id;
	int cgroup_fd;
	bool inherit;	     /* EVENT_TASK: threads and children born later */
	bool enable_on_exec; /* else it starts disabled */
};

/* Opens a sampled event at @hz. The descriptor, or a negative errno with a text that says what
 * privilege is missing where that is the cause. */
int event_open(const struct event *, double hz, const struct event_where *);
/* The text of event_open() for @code of errno, which it returns negative; @w NULL: it was to be
 * counted. */
int event_error(const struct event *, const struct event_where *w, int code);
/* Counts on @cpu, all tasks, from now on. Errors as event_open()'s. */
int event_open_counter(const struct event *, int cpu);
/* A tracepoint, for a program to hang on: it then sees the hits of all tasks. */
int event_open_tracepoint(const struct event *);

/* kernel.perf_event_max_sample_rate; 100000 where it cannot be read. */
int64_t event_max_hz(void);

#endif
