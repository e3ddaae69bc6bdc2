/*
 * zones: exact calls of functions: which functions of which processes get probes, what they
 * measure, and the resulting rows. An event source like the others (zones.c); this file has its
 * options, and what the files of zones share.
 */
#ifndef PROBE_ZONES_H
#define PROBE_ZONES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/calibrate.h"
#include "load/probe_session.h"
#include "load/target.h"
#include "model/profile.h"
#include "process/images.h"
#include "process/procs.h"
#include "probe/zone_image.h"

struct zones_options {
	struct zonepatterns *patterns;
	uint32_t actions;		     /* bits: actions of any pattern */
	uint32_t action_event[WIRE_ACTIONS]; /* by action: the capture's event of its samples */
	uint32_t max;			     /* number of zones */
	const char *const *switches;	     /* names of functions that switch stacks */
	size_t n_switches;
	enum zone_ends ends;
	uint32_t clocks;   /* WIRE_CLOCK_… */
	const char *clock; /* as the user wrote it; NULL: no option, wall clock */
	struct event events[WIRE_ZONE_EVENTS];
	size_t n_events;
	double max_slowdown; /* 0.1: zones may take a tenth of the target's own time; 0: no limit */
	bool one_by_one, no_session; /* as on older kernels, for tests: see load/probe_session.h */
};

/* What is done at functions, as their patterns say, but that zones are only counted where nothing
 * is timed: bits by enum wire_action. */
static inline uint32_t zones_actions(const struct zones_options *o)
{
	const uint32_t zone = 1u << WIRE_ACTION_zone;

	if (!(o->actions & zone && o->clocks & WIRE_CLOCK_NONE))
		return o->actions;
	return (o->actions & ~zone) | 1u << WIRE_ACTION_count;
}

/* All borrowed while the zones live, except the calibration. */
struct zones_input {
	const struct zones_options *o;
	struct calibration *calibration;
	struct session *whole;
	struct probe_session *session; /* of the session */
	struct images *images;
	struct procs *procs;
	const struct target *target;
	const struct crew_wait *wait;			    /* called while code is read */
	void (*say)(const void *context, const char *text); /* as in source_services */
	const void *context;
	struct allowance *allowance; /* of those whose code it is; owned */
};

struct zones;

/* @pid's code may have changed: look at it when the zones are settled next. */
void zones_process(struct zones *, uint32_t pid);
/* @child was forked from @pid and has its code. */
void zones_fork(struct zones *, uint32_t pid, uint32_t child);
/* @pid will exec @command, whose code, as far as predictable, counts as @pid's from then on. */
void zones_command(struct zones *, uint32_t pid, const char *command);
/* The first thread of @pid has exited; unless it has other threads, so has the process. */
void zones_leader_exit(struct zones *, uint32_t pid);
/* @pid runs another program. */
void zones_exec(struct zones *, uint32_t pid);
/* A process, in the target or not, has exec'd another program; was forked from @pid; has ended.
 * Some programs are harmed by probes in others' files: see guard.h. */
void zones_program(struct zones *, uint32_t pid, uint64_t time_ns);
void zones_born(struct zones *, uint32_t pid, uint32_t child);
void zones_end(struct zones *, uint32_t pid, uint64_t time_ns);
/* Call at each tick. */
void zones_tick(struct zones *);

/* Whether there is something to settle. */
bool zones_unsettled(const struct zones *);
/* The number of functions with probes. */
size_t zones_count(const struct zones *);
/* The recent slowdown: time that probes add, relative to the time that the target takes without
 * them; negative: unknown yet. */
double zones_slowdown(const struct zones *);

#endif
