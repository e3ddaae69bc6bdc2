/*
 * calibrator: the process of ours whose calls are timed, of functions that it alone has and that
 * carry the very probes which zones get. It hangs them itself, and they go with it. When it is not
 * asked it sleeps. It runs no code meanwhile that others could put probes into: neither does a
 * capture count calls of it, nor does it pay for their probes. For load/calibrate.c only.
 */
#ifndef PROBE_CALIBRATOR_H
#define PROBE_CALIBRATOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "load/probe_session.h"
#include "probe/calibrate_way.h"
#include "load/probes.h"

/* What its probes are to say: the number of the first of CALIBRATE_ZONES zones, and the row of
 * generations that they count under. */
struct calibrator_probes {
	const struct probes *probes;
	bool sessions; /* the kernel has them */
	uint32_t first, slot;
	uint8_t generation;
};

struct calibrator {
	pid_t pid; /* 0: there is none */
	int socket;
	clockid_t cpu;
	bool asked; /* and has not answered */
};

/* Of each function, by CALIBRATE_NUMBER; 0 where it was not asked for. */
struct calibrator_times {
	double ns[CALIBRATE_ZONES]; /* the mean of a batch of calls */
};

/* Starts it; @bare is the time of calls before the probes hung. False: there is none then. */
bool calibrator_start(struct calibrator *, const struct calibrator_probes *,
		      struct calibrator_times *bare);
/* How the functions are called. */
enum calibrator_calls {
	CALIBRATOR_WARM, /* nothing but the clock is read between calls */
	CALIBRATOR_COLD, /* more memory than the first cache holds is, as in a real program */
	CALIBRATOR_BRIEF /* as warm, fewer calls */
};
/* Asks it to time the functions in the set @which. Does not wait. Only one that has answered is
 * asked again. */
void calibrator_ask(struct calibrator *, uint32_t which, enum calibrator_calls how);
/* False: the answer is not there within @wait_ms. */
bool calibrator_answer(struct calibrator *, int wait_ms, struct calibrator_times *);
/* It runs on @cpu from now on, where it may; else where it did. */
void calibrator_move(const struct calibrator *, int cpu);
/* Its CPU time. */
int64_t calibrator_cpu_ns(const struct calibrator *);
/* Kills it, whatever state it is in; does not wait for that. */
void calibrator_kill(const struct calibrator *);
/* The same, and waits. */
void calibrator_end(struct calibrator *);

/* Sorts them. */
double calibrator_median(double *values, int n);

#endif
