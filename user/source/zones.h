/*
 * zones: exact calls of functions: which functions of which processes get probes, what they count,
 * and the rows that come of it. An event source like the others; besides, it is told of what
 * processes map, and hangs its probes where zones are.
 */
#ifndef SOURCE_ZONES_H
#define SOURCE_ZONES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "load/calibrate.h"
#include "load/target.h"
#include "load/zone_session.h"
#include "model/profile.h"
#include "source/assembly.h"
#include "source/zone_image.h"
#include "symbol/images.h"
#include "symbol/procs.h"

struct zones_options {
	const struct zonepatterns *patterns;
	uint32_t max;		     /* zones */
	const char *const *switches; /* names of functions that switch stacks */
	size_t n_switches;
	enum zone_ends ends;
	uint32_t clocks; /* WIRE_CLOCK_… */
	struct event events[WIRE_ZONE_EVENTS];
	size_t n_events;
	double max_slowdown; /* 0.1: zones take a tenth of the target's own time at most; 0: no
				limit */
	/* Is told what is to be known while the capture goes on, a line; NULL: nobody is. */
	void (*say)(const void *context, const char *text);
	const void *context;	     /* of say; borrowed */
	bool one_by_one, no_session; /* as on older kernels: see load/zone_session.h; in tests */
};

/* All borrowed while the zones live. */
struct zones_input {
	const struct zones_options *o;
	struct calibration *calibration;
	struct zone_session *session;
	struct images *images;
	struct procs *procs;
	const struct target *target;
	const struct crew_wait *wait; /* while code is read */
};

struct zones;

/* Makes a source's empty state one that works. */
void zones_configure(struct zones *, const struct zones_input *);

/* @pid's code may have changed: it is looked at when zones_settle() is called. */
void zones_process(struct zones *, uint32_t pid);
/* @child has the code of @pid. */
void zones_fork(struct zones *, uint32_t pid, uint32_t child);
/* @pid will run @command: its code, as far as it can be foretold, is taken for @pid's from then
 * on. */
void zones_command(struct zones *, uint32_t pid, const char *command);
/* The first thread of @pid has exited, and with it the process unless it has others. */
void zones_leader_exit(struct zones *, uint32_t pid);
/* @pid runs another program. */
void zones_exec(struct zones *, uint32_t pid);
/* Any process, of the target or not, runs another program; was born of @pid; is gone. Some harm
 * probes in others' files: see zone_guard.c. */
void zones_program(struct zones *, uint32_t pid, uint64_t time_ns);
void zones_born(struct zones *, uint32_t pid, uint32_t child);
void zones_end(struct zones *, uint32_t pid, uint64_t time_ns);
/* Before what came until now is taken in. */
void zones_heed(struct zones *);
/* At each tick. */
void zones_tick(struct zones *);

/* True: zones_settle() has something to do. */
bool zones_unsettled(const struct zones *);
/* Reads new images, decides how calls end in each process, hangs probes. What cannot be hung is
 * noted: only at the start (@first) are errors returned, and patterns that match nothing. */
int zones_settle(struct zones *, bool first);

/* Calls count from here to there. */
void zones_start(struct zones *);
void zones_stop(struct zones *);
/* While they do, what probes cost is timed now and then: when that is due next (CLOCK_MONOTONIC;
 * never: UINT64_MAX); if it is (false: it is not); for the last time, which takes some ms. */
uint64_t zones_due_ns(const struct zones *);
bool zones_round(struct zones *);
void zones_last_round(struct zones *);
/* After the last record was taken: threads that a full ring had no room to tell of are known by
 * what the kernel keeps of them, under the name that they have by then. */
void zones_drained(struct zones *);
/* Begins to take all probes away, for good; goes on beside what follows. */
void zones_take_away(struct zones *);

/* Says of a pattern that the module it asks for is not there yet; NULL: all are. The caller owns
 * it. */
char *zones_waiting(const struct zones *);

/* Why functions that match got no probes at the start; NULL: they did. */
const char *zones_forbidden(const struct zones *);

/* How many functions have probes, and how many processes. */
size_t zones_count(const struct zones *);
/* CPU time of the processes of ours that hold the probes, and that time what they cost. */
int64_t zones_cpu_ns(const struct zones *);
/* The time that probes add to that of the target, as a part of what it takes without them, of late;
 * below 0: it is not known yet. */
double zones_slowdown(const struct zones *);
/* Calls that were met until the last tick, for a progress line. */
uint64_t zones_calls(const struct zones *);
/* How long our programs on the probes ran for what the profile counts, as calibrated. */
struct program_run zones_run(const struct zones *, const struct profile *);
/* False: it was never configured. */
bool zones_active(const struct zones *);

#endif
