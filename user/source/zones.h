/*
 * zones: exact calls of functions: which functions of which processes get probes, what they count,
 * and the rows that come of it. An event source like the others (zones.c); here are its options,
 * and what the files of zones share.
 */
#ifndef SOURCE_ZONES_H
#define SOURCE_ZONES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "load/calibrate.h"
#include "load/probe_session.h"
#include "load/target.h"
#include "model/profile.h"
#include "process/images.h"
#include "process/procs.h"
#include "source/assembly.h"
#include "source/zone_image.h"

struct zones_options {
	const struct zonepatterns *patterns;
	uint32_t actions;		     /* bits of those that any pattern is for */
	uint32_t action_event[WIRE_ACTIONS]; /* of the capture: what their samples are of */
	uint32_t max;			     /* zones */
	const char *const *switches;	     /* names of functions that switch stacks */
	size_t n_switches;
	enum zone_ends ends;
	uint32_t clocks;   /* WIRE_CLOCK_… */
	const char *clock; /* as it was asked for; NULL: not at all, which is the wall clock */
	struct event events[WIRE_ZONE_EVENTS];
	size_t n_events;
	double max_slowdown; /* 0.1: zones take a tenth of the target's own time at most; 0: no
				limit */
	bool one_by_one, no_session; /* as on older kernels: see load/probe_session.h; in tests */
};

/* All borrowed while the zones live; but for the calibration. */
struct zones_input {
	const struct zones_options *o;
	struct calibration *calibration;
	struct session *whole;
	struct probe_session *session; /* its part */
	struct images *images;
	struct procs *procs;
	const struct target *target;
	const struct crew_wait *wait;			    /* while code is read */
	void (*say)(const void *context, const char *text); /* as source_services has it */
	const void *context;
};

struct zones;

/* @pid's code may have changed: it is looked at when the zones are settled next. */
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
/* At each tick. */
void zones_tick(struct zones *);

/* True: there is something to settle. */
bool zones_unsettled(const struct zones *);
/* How many functions have probes. */
size_t zones_count(const struct zones *);
/* The time that probes add to that of the target, as a part of what it takes without them, of late;
 * below 0: it is not known yet. */
double zones_slowdown(const struct zones *);

#endif
