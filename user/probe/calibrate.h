/*
 * calibrate: measures what a probe costs on this machine while a capture runs, by the class of its
 * site and by how the end of a call is seen. A process of eprof's own calls functions of its own,
 * with the same BPF programs as the capture's probes. It does so once before the capture counts
 * calls, and again in rounds while it does, on the processors where probes are hit: where
 * processors change their clock, and on virtual machines, a probe may cost half as much again for
 * some seconds, and not on all of them at once. What counts is the mean over the calls.
 */
#ifndef PROBE_CALIBRATE_H
#define PROBE_CALIBRATE_H

#include <stdbool.h>
#include <stdint.h>

#include "load/probe_session.h"
#include "model/probing.h"
#include "probe/calibrate_way.h"

struct calibrated {
	bool known;
	double inner_ns; /* what the probes add to the call's own measured time */
	double outer_ns; /* what they add to its caller's: all that they cost */
	/* Margins of the two, to either side: from the spread of the rounds, and since probes cost
	 * more with cold caches than in a loop. The figures lie in the middle. */
	double inner_off_ns, outer_off_ns;
	double cpu_ns, sys_ns; /* what they add to the call's own CPU and system time as measured */
	double bpf_ns;	       /* of outer_ns in our programs, where the kernel measures it */
	int bpf_runs;	       /* how often they run in a call */
};

struct calibration;
/* Takes some 100 ms. Never NULL and no error: what could not be timed has known = false. Must come
 * before calls count. Uses the zone numbers from the session's max_zones on. Borrows the session.
 */
struct calibration *calibrate(struct probe_session *);
/* Waits for the end of its process, with which its probes vanish. NULL is fine. */
void calibration_free(struct calibration *);

/* The mean over the calls of the capture so far; known = false for classes and ways that are not
 * timed. */
struct calibrated calibration_of(const struct calibration *, enum site_class, enum exit_way);

/* To be called when calls begin to count. */
void calibration_start(struct calibration *);
/* When the next round is due, by CLOCK_MONOTONIC; UINT64_MAX: never. */
uint64_t calibration_due_ns(const struct calibration *);
/* Takes in the answer of the last round and asks for one of @which. Does not wait: an answer that
 * is late is taken in by a later call. */
void calibration_round(struct calibration *, uint32_t which);
/* One last round, which takes some ms; before calls cease to count. */
void calibration_finish(struct calibration *, uint32_t which);
/* Kills its process, which detaches its probes, without waiting. */
void calibration_stop(const struct calibration *);

/* Its process, which is never a target, and the CPU time of that; 0: there is none. */
uint32_t calibration_pid(const struct calibration *);
int64_t calibration_cpu_ns(const struct calibration *);

#endif
