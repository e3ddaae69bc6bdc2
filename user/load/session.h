/*
 * session: samples the target: opened, attached to events, read, ended. Normally by BPF programs;
 * without privileges by perf events alone, on the user's own processes. All of it disappears when
 * the session is closed or the process dies.
 */
#ifndef LOAD_SESSION_H
#define LOAD_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "load/counters.h"
#include "load/probe_session.h"
#include "load/ring.h"
#include "load/session_options.h"
#include "load/tables.h"
#include "perf/sideband.h"
#include "perf/tick_cost.h"
#include "wire.h"

struct session;

/* Loads the programs, if permitted. Errors with a text that names the missing privilege or kernel
 * feature. */
int session_open(const struct session_options *, struct session **);
/* The records of processes, already enabled. Borrowed. */
struct sideband *session_sideband(struct session *);
/* Attaches to the target's events; nothing counts before session_start(). */
int session_attach(struct session *);
/* Adds a process of the target that was unknown when the session was opened, or a thread, perhaps
 * of a new process, born to one of the target's. Ignores those that have ended. */
int session_add(struct session *, uint32_t pid);
void session_adopt(struct session *, uint32_t parent_pid, uint32_t pid, uint32_t parent_tid,
		   uint32_t tid, uint64_t born_ns);
/* Call when all births up to a moment were reported. True if none since the last call had to be
 * adopted: later children then belong to the target automatically, and session_adopt() is no longer
 * needed. False if some had: report their children soon. */
bool session_settle(struct session *);
/* The event's own count (ns for a clock), including children; 0 if unknown. */
uint64_t session_count(struct session *, size_t event);
/* The 64 bits at @key of an array map of a source's or an action's programs, by the map's name; for
 * an array by CPU their sum. 0 if there is no such map. */
uint64_t session_map_value(struct session *, const char *name, uint32_t key);
/* Appends the value of each possible CPU, for an array by CPU. -ENOENT: no such map or key. */
int session_map_by_cpu(struct session *, const char *name, uint32_t key, session_cpu_values *out);
/* Sets the value; not for a map by CPU. */
int session_map_set(struct session *, const char *name, uint32_t key, uint64_t value);
/* Reads or sets all entries of a hash map or an array at once: see counters_entries(),
 * counters_set_entries(). -ENOENT: no such map. */
int session_map_entries(struct session *, const char *name, bool take, struct map_entries *out);
/* The same for an array's first @most entries. */
int session_map_first(struct session *, const char *name, uint32_t most, struct map_entries *out);
int session_map_set_entries(struct session *, const char *name, const void *keys,
			    const void *values, uint32_t n);
/* The memory of an array whose entries the loader may read in place, for the caller to unmap, and
 * its size in @bytes. NULL: there is no such map, or no memory. */
const void *session_map_memory(struct session *, const char *name, uint64_t *bytes);
/* Removes a hash map's entry, if it is there; adds a value to a queue. */
void session_map_delete(struct session *, const char *name, const void *key);
int session_map_push(struct session *, const char *name, const void *value);
/* Where a program can run in the context of a thread that has just been put on a CPU. */
enum session_switched {
	SESSION_SWITCHED_TRACEPOINT, /* sched_exit_tp */
	SESSION_SWITCHED_KPROBE,     /* finish_task_switch() */
	SESSION_SWITCHED_NOWHERE,    /* only before the switch */
};
/* The first of these that this kernel allows; the tracepoint if its types cannot be read: then
 * session_open() says why. Needs the right to perf events. */
enum session_switched session_switched(void);
/* Runs a source's iterator program over all threads of our PID namespace; false: the kernel could
 * not. */
bool session_walk_tasks(struct session *, const char *program);
/* Opens the same walk for session_walk_on(): a descriptor for the caller to close; -1: the kernel
 * cannot. */
int session_open_walk(struct session *, const char *program);
/* Runs the walk until the program has written RAN_WALK_BYTES (bpf_seq_write): 1; 0: at its end.
 * -ETIMEDOUT: it is stuck on memory of a process that it reads, and will continue if that arrives;
 * the program must not rely on anyone waiting for it. Other negative values: it could not run. */
int session_walk_on(struct opener *, int walk);
/* Its probes; NULL if none were requested. Borrowed. */
struct probe_session *session_probes(struct session *);
/* Whether BPF programs take the samples. Otherwise perf events do, in user mode only. */
bool session_has_programs(const struct session *);
void session_close(struct session *);

/* ring_drain(). What it leaves stays in the ring; if the ring is full, the programs count samples
 * as lost. */
int session_drain(struct session *, uint64_t most_bytes, ring_record_fn, void *context);
/* After the last drain: frees the ring's memory. */
void session_drained(struct session *);
/* Adds the ring to an epoll set, which a half-full ring wakes. */
int session_watch(struct session *, int epoll_fd);

/* The walker's tables, empty; owned by the caller, who frees them before the session. NULL without
 * a walker in the kernel. */
int session_tables(struct session *, struct tables **out);

/* Has every stack sent again: addresses may now belong to other code. */
void session_new_epoch(struct session *);

/* Totals of a stream over all CPUs, by enum wire_counter; that of an event has its number. While
 * the programs run, TAKEN may be ahead of its outcomes, never behind. */
int session_counters(struct session *, size_t stream, uint64_t out[WIRE_COUNTERS]);
/* Hits of the target by possible CPU, including those in the mode left out. */
int session_hits_by_cpu(struct session *, size_t event, uint64_t *out);
/* For tick_cost_new(); not loaded if no event needs it. */
struct tick_program session_tick_program(const struct session *);
/* Appends each CPU's sampling state for a stream that has a pace. */
int session_steps(struct session *, size_t stream, session_step_list *out);
/* Hits of a tracepoint, by any process, for which the kernel did not run our program because
 * another BPF program was running. */
uint64_t session_missed(const struct session *, size_t event);
/* The pace that takes every @every th hit; if 0, random hits, at most @most_hz on each CPU. */
struct wire_pace session_pace(uint64_t every, uint64_t most_hz);

void session_cost(struct session *, struct session_cost *out);
/* Run time of one event's program; only that on the target's hits if these are timed separately. */
uint64_t session_event_ns(struct session *, size_t event);
/* Whether the programs also see the event's hits by others, and drop them. */
bool session_filters(const struct session *, size_t event);
/* How often the kernel throttled the events. */
uint64_t session_throttled(const struct session *);
/* Whether events by CPU also interrupt other processes than the target. */
bool session_interrupts_others(const struct session *);
/* Whether the event is opened by task, which makes each context switch of a task dearer. */
bool session_samples_tasks(const struct session *, size_t event);

/* Call at each tick of a capture: starts to sample clocks and cycles by CPU if events by task turn
 * out to miss short threads. */
void session_tick(struct session *);
/* The target's CPU time by the scheduler's account since session_start(), until now or the
 * session's end. False if unknown. */
bool session_ran(struct session *, uint64_t *ns);
/* Starts and stops counting: the events, and the account that they are checked against. Errors with
 * a text. */
int session_start(struct session *);
void session_stop(struct session *);
/* After the end: waits for threads that exited just before it, 50 ms at most. */
void session_await_exits(struct session *);

#endif
