/*
 * plain_events: the perf events of a target sampled without BPF programs: one per thread and CPU,
 * since the kernel maps no ring for an event that follows a task and its children over all CPUs.
 * All events of a CPU write to one ring. Used by session_plain.
 */
#ifndef LOAD_PLAIN_EVENTS_H
#define LOAD_PLAIN_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/vec.h"
#include "load/target.h"
#include "perf/event.h"
#include "perf/perf_ring.h"

struct plain_options {
	const struct event *events; /* borrowed, like the target */
	size_t n_events;
	double hz;
	const struct target *target;
};

struct plain_event {
	int fd;
	uint32_t event; /* index in the options' events */
};

struct plain_events {
	struct plain_options o;
	int *cpus;	  /* online CPUs; owned */
	perf_rings rings; /* one per CPU */
	uint32_t stack_bytes;
	uint64_t ring_bytes; /* of all rings */
	VEC(struct plain_event) at;
	struct map by_id; /* the kernel's number of an event → index in the options' events */
	struct map known; /* threads that have their events, opened or inherited */
};

/* Opens the rings. Errors with a text that says what this user lacks; release it even then. */
int plain_events_init(struct plain_events *, const struct plain_options *);
void plain_events_release(struct plain_events *);

/* Opens the events of @pid's unknown threads; with -t those of that thread only. Returns how many,
 * or a negative errno with a text: -ESRCH if all have exited. A command's events start with its
 * exec, others at once. */
int plain_events_open(struct plain_events *, uint32_t pid);
/* Notes that a thread has inherited the events. */
void plain_events_inherited(struct plain_events *, uint32_t tid);
void plain_events_stop(struct plain_events *);

/* The option's event whose kernel number is @id; SIZE_MAX: none. */
size_t plain_events_of(const struct plain_events *, uint64_t id);
/* The event's own count (ns for a clock) over all threads. */
uint64_t plain_events_count(const struct plain_events *, size_t event);

#endif
