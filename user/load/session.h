/*
 * session: what samples the target: opened, attached to events, read, ended. As a rule BPF programs
 * in the kernel do it; who has no right to such samples processes of his own by perf events alone.
 * All of it goes when the session is closed or the process dies.
 */
#ifndef LOAD_SESSION_H
#define LOAD_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "load/probe_session.h"
#include "load/ring.h"
#include "load/session_options.h"
#include "load/session_readings.h"
#include "load/tables.h"
#include "perf/sideband.h"
#include "perf/tick_cost.h"
#include "wire.h"

struct session;

/* Loads the programs, where there are rights to it. Errors with a text that says which privilege or
 * kernel feature is missing. */
int session_open(const struct session_options *, struct session **);
/* What processes do meanwhile: already running. Borrowed. */
struct sideband *session_sideband(struct session *);
/* Attaches to events of the target; nothing is counted before session_start(). */
int session_attach(struct session *);
/* Takes in what belongs to the target and was not known when the session was opened: a process that
 * was found, or a thread, maybe of a new process, that was born to one of the target's. What is
 * gone is passed over. */
int session_add(struct session *, uint32_t pid);
void session_adopt(struct session *, uint32_t parent_pid, uint32_t pid, uint32_t parent_tid,
		   uint32_t tid, uint64_t born_ns);
/* All births up to a moment were told. Where none of them since the last call had to be taken in,
 * all that are born later belong to the target by themselves: nobody is adopted any more. False
 * where some had: what they have started since is told next, and better soon. */
bool session_settle(struct session *);
/* The event's own count (ns of a clock), children included; 0 where that is not known. */
uint64_t session_count(struct session *, size_t event);
/* The 64 bits at @key of an array map of a source's or an action's programs, by the map's name;
 * -ENOENT: there is none. */
int session_map_value(struct session *, const char *name, uint32_t key, uint64_t *out);
/* Its probes; NULL where none were asked for. Borrowed. */
struct probe_session *session_probes(struct session *);
/* Programs in the kernel take the samples; else the kernel's ring of perf events alone, and what
 * runs in the kernel is not seen. */
bool session_has_programs(const struct session *);
void session_close(struct session *);

/* ring_drain() of its ring. What is left there waits: when the ring is full, the programs count
 * samples as lost. */
int session_drain(struct session *, uint64_t most_bytes, ring_record_fn, void *context);
/* After the last drain: gives the memory of the ring back, which nothing is read from any more. */
void session_drained(struct session *);
/* Adds the ring to an epoll set, so that a half-full one wakes it. */
int session_watch(struct session *, int epoll_fd);

/* The walker's tables, empty; owned by the caller, to be freed before the session. NULL where no
 * walker is in the kernel. */
int session_tables(struct session *, struct tables **out);

/* Addresses may mean other code now: every stack is sent again. */
void session_new_epoch(struct session *);

/* Totals over all CPUs, in the order of enum wire_counter. While the programs run, TAKEN may be
 * ahead of its outcomes, never behind. */
int session_counters(struct session *, size_t event, uint64_t out[WIRE_COUNTERS]);
/* Hits of the target, those in the mode that is left out too, by possible CPU. */
int session_hits_by_cpu(struct session *, size_t event, uint64_t *out);
/* For tick_cost_new(); not loaded where no event needs it. */
struct tick_program session_tick_program(const struct session *);
/* How far each CPU is with the steps of a counted event, or one with -c; appended. */
int session_steps(struct session *, size_t event, session_step_list *out);
/* Hits of a tracepoint, by whomever, at which the kernel ran no program of ours, being amid one of
 * BPF already. */
uint64_t session_missed(const struct session *, size_t event);

void session_cost(struct session *, struct session_cost *out);
/* Time in the program of one event, on the target's hits where that can be told. */
uint64_t session_event_ns(struct session *, size_t event);
/* Whether the programs see the event's hits by others, too, and let them go. */
bool session_filters(const struct session *, size_t event);
/* How often the kernel held the events back, for want of time. */
uint64_t session_throttled(const struct session *);
/* Events of CPUs, of a target that others share them with: they are interrupted, too. */
bool session_interrupts_others(const struct session *);

/* At each tick of a capture: samples clocks and cycles by CPU from now on, where it shows that
 * those by task leave out what lives shortly. */
void session_tick(struct session *);
/* The target's time on a CPU by the scheduler's own account, since session_start(); once more as of
 * the end where that is over. False where the kernel does not tell. */
bool session_ran(struct session *, uint64_t *ns);
/* Starts and ends counting: the events, and what they are held against. Errors with a text. */
int session_start(struct session *);
void session_stop(struct session *);
/* After the end: waits for what threads run that exited shortly before, 50 ms at most. */
void session_await_exits(struct session *);

#endif
