/*
 * calibrator: a process of eprof's own in which calls of probed functions are timed. The functions
 * are its own, and their probes are those that zones get. It attaches the probes itself, and they
 * vanish with it. It sleeps until it is asked. While it times, it runs no code in which others
 * could have probes: no capture counts its calls, and it does not pay for probes of others. For
 * probe/calibrate.c only.
 */
#ifndef PROBE_CALIBRATOR_H
#define PROBE_CALIBRATOR_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "load/probe_session.h"
#include "load/probes.h"
#include "probe/calibrate_way.h"

/* What the probes' cookies hold: CALIBRATE_ZONES zones from the number @first on, and the row of
 * generations that they count under. */
struct calibrator_probes {
	const struct probes *probes;
	bool sessions; /* the kernel has uprobe sessions */
	uint32_t first, slot;
	uint8_t generation;
};

struct calibrator {
	pid_t pid; /* 0: it does not run */
	int socket;
	clockid_t cpu; /* its CPU time */
	bool asked;    /* and it has not answered yet */
};

/* By CALIBRATE_NUMBER; 0 for functions that were not asked for. */
struct calibrator_times {
	double ns[CALIBRATE_ZONES]; /* the mean of a batch of calls */
};

/* Starts the process and times calls without probes, into @bare, before it attaches them. False:
 * it could not be started, and there is none. */
bool calibrator_start(struct calibrator *, const struct calibrator_probes *,
		      struct calibrator_times *bare);
/* How the functions are called. */
enum calibrator_calls {
	CALIBRATOR_WARM, /* between calls nothing is read but the clock */
	CALIBRATOR_COLD, /* between calls more memory is read than the L1 cache holds */
	CALIBRATOR_BRIEF /* like WARM, with fewer calls */
};
/* Asks it to time the functions in the set @which, of CALIBRATE_BITs, and does not wait for the
 * answer. It must have answered what it was asked before. */
void calibrator_ask(struct calibrator *, uint32_t which, enum calibrator_calls how);
/* False: the answer is not there within @wait_ms. */
bool calibrator_answer(struct calibrator *, int wait_ms, struct calibrator_times *);
/* Moves it to @cpu; where its affinity does not allow that it stays where it is. */
void calibrator_move(const struct calibrator *, int cpu);
/* Its CPU time. */
int64_t calibrator_cpu_ns(const struct calibrator *);
/* Kills it in any state, without waiting for its end. */
void calibrator_kill(const struct calibrator *);
/* Kills it and waits for its end. */
void calibrator_end(struct calibrator *);

/* The median of @n values, which it sorts. */
double calibrator_median(double *values, int n);

#endif
