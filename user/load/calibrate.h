/*
 * calibrate: what a probe costs on this machine while a capture runs, by the class of its site and
 * by how the call's end is seen: timed with functions of our own, in a process of our own, with the
 * very programs that the capture uses. It is timed once before calls count, and again in rounds
 * while they do, on the processors where probes are hit: on virtual machines, and where processors
 * change their clock, it is now this and now half as much again, for seconds, and not on all of
 * them at once. What counts is the mean over the calls.
 */
#ifndef LOAD_CALIBRATE_H
#define LOAD_CALIBRATE_H

#include <stdbool.h>
#include <stdint.h>

#include "load/probe_session.h"
#include "model/probing.h"

/* What is timed: calls by each class of site that probes have with each way of their end, by
 * number. */
#define CALIBRATE_WAYS		   (EXIT_NONE - EXIT_SESSION + 1)
#define CALIBRATE_ZONES		   ((SITE_STEPPED - SITE_NOP5 + 1) * CALIBRATE_WAYS)
#define CALIBRATE_CLASS_OF(number) ((enum site_class)((number) / CALIBRATE_WAYS + SITE_NOP5))
#define CALIBRATE_WAY_OF(number)   ((enum exit_way)((number) % CALIBRATE_WAYS + EXIT_SESSION))
#define CALIBRATE_NUMBER(class, way) \
	(((int)(class) - SITE_NOP5) * CALIBRATE_WAYS + ((int)(way)-EXIT_SESSION))
/* A set of classes and ways holds these bits. */
#define CALIBRATE_BIT(class, way) (1u << CALIBRATE_NUMBER(class, way))

struct calibrated {
	bool known;
	double inner_ns; /* what the probes add to the call's own measured time */
	double outer_ns; /* what they add to its caller's: all of it */
	/* How far off these may be for calls of a program, to either side: by the spread of rounds,
	 * and since they are dearer where caches are used by others than where a call follows the
	 * other: the figures stand between both. */
	double inner_off_ns, outer_off_ns;
	double cpu_ns, sys_ns; /* what they add to the call's own CPU and system time as measured */
	double bpf_ns;	       /* of it in our programs, where the kernel tells */
	int bpf_runs;	       /* how often they run in a call */
};

/* Whether calls are timed by sites of @class. */
static inline bool calibrate_is_timed(enum site_class class)
{
	return class >= SITE_NOP5 && class <= SITE_STEPPED;
}

struct calibration;
/* Takes some 100 ms. What could not be timed is not known: no errors, never NULL. Calls must not
 * count yet; zone numbers from the session's max_zones on are used for it. Borrows the session. */
struct calibration *calibrate(struct probe_session *);
/* Waits until its process, and its probes with it, is gone. NULL is fine. */
void calibration_free(struct calibration *);

/* The mean over the calls of the capture so far. Not known of classes and ways that are not
 * timed. */
struct calibrated calibration_of(const struct calibration *, enum site_class, enum exit_way);

/* Calls begin to count. */
void calibration_start(struct calibration *);
/* When the next round is due: CLOCK_MONOTONIC; UINT64_MAX: there are none. */
uint64_t calibration_due_ns(const struct calibration *);
/* Takes in the last round, and asks for another of @which. Does not wait for anything: one that is
 * not there yet is taken in later, one that never comes is done without. */
void calibration_round(struct calibration *, uint32_t which);
/* One last round, of some ms, before calls count no more. */
void calibration_finish(struct calibration *, uint32_t which);
/* Begins to end its process, and to take its probes away with it. */
void calibration_stop(const struct calibration *);

/* Of its process: it is no target, whoever is; 0: there is none. And its CPU time. */
uint32_t calibration_pid(const struct calibration *);
int64_t calibration_cpu_ns(const struct calibration *);

#endif
