/*
 * plain_events: the perf events of a target that is sampled without BPF programs: of each thread
 * one a CPU, since the kernel maps no ring for those that follow a task and its children over all
 * CPUs. All of a CPU write to one ring. Used by session_plain.
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
	const struct event *events; /* borrowed, as the target */
	size_t n_events;
	double hz;
	const struct target *target;
};

struct plain_event {
	int fd;
	uint32_t event; /* of the options */
};

struct plain_events {
	struct plain_options o;
	int *cpus;	  /* that are online; owned */
	perf_rings rings; /* of each of them */
	uint32_t stack_bytes;
	uint64_t ring_bytes; /* of all */
	VEC(struct plain_event) at;
	struct map by_id; /* the kernel's number of an event → which of the options' */
	struct map known; /* threads that have their events, or inherited them */
};

/* The rings. Errors with a text that says what this user lacks; released all the same. */
int plain_events_init(struct plain_events *, const struct plain_options *);
void plain_events_release(struct plain_events *);

/* Opens those of the threads of @pid that are not known; of -t those of the thread alone. How many,
 * or a negative errno with a text: -ESRCH when all are gone. Those of a command start with its
 * exec, others at once. */
int plain_events_open(struct plain_events *, uint32_t pid);
/* A thread has inherited them. */
void plain_events_inherited(struct plain_events *, uint32_t tid);
void plain_events_stop(struct plain_events *);

/* Which of the options' events the kernel calls @id; SIZE_MAX: none. */
size_t plain_events_of(const struct plain_events *, uint64_t id);
/* The event's own count (ns of a clock) over all threads. */
uint64_t plain_events_count(const struct plain_events *, size_t event);

#endif
