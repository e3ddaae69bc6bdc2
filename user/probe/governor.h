/*
 * governor: estimates how much the target is slowed down, by the probes of zones and all else that
 * the capture does, and chooses which zones to time, to count, or to detach so that it stays below
 * a limit. Reads no clock and touches no probe: at every tick the caller passes the number of
 * calls, their cost, and the target's CPU time. For probe/ and the source of zones.
 *
 * A slowdown is the time that the capture adds, relative to the time that the target takes without
 * them: at 0.2 it takes 1.2 times as long.
 */
#ifndef PROBE_GOVERNOR_H
#define PROBE_GOVERNOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum probe_mode {
	PROBE_MODE_TIMED,    /* timed, as far as its calls can be */
	PROBE_MODE_COUNTED,  /* only counted */
	PROBE_MODE_DETACHED, /* its probes were detached */
};

/* A zone. All 0: never called. */
struct governed {
	/* Set by the caller before each tick. */
	uint64_t timed, counted; /* calls so far that were timed, that were counted */
	double full_ns;		 /* cost of a call that is fully timed */
	double count_ns;	 /* cost of a call that is only counted, at most full_ns */
	bool untimed; /* its calls are not timed anyway: it keeps its probes or loses them */
	bool exempt;  /* untimed; it does not lose them here, though they cost */

	/* Set by the governor. Times are those of ticks; 0: never. */
	enum probe_mode mode;
	uint64_t counted_from_ns; /* first time that it was too expensive to time */
	uint64_t fallen_ns;	  /* last time */
	uint64_t timed_from_ns;	  /* last time that it was timed again */
	uint64_t detached_ns;
	uint64_t detached_calls; /* its calls by then */
	uint64_t hold_ns;	 /* not timed again before that */
	uint32_t falls;		 /* how often it was too expensive to time */
	bool doomed;		 /* even counting it is too expensive */
	uint64_t seen_timed, seen_counted;
	double rate, peak; /* calls per ns of the target's own time: last, and recent peak */
};

struct governor {
	double limit; /* highest slowdown; 0: none, and modes never change */
	/* Set by the caller before each tick: time taken from the target so far, but for probes. */
	double beside_ns;
	uint64_t begun_ns;  /* first tick; 0: none yet */
	uint64_t judged_ns; /* last tick with enough of the target's time to judge */
	uint64_t cpu_ns, seen_cpu_ns;
	double taken_ns, seen_beside_ns; /* by probes so far, as far as judged */
	double room;			 /* what of the limit is left for probes */
	double slowdown; /* between the last two judgements; negative: unknown yet */
	double last_probes_ns, last_beside_ns, last_cpu_ns; /* likewise: what it is made of */
	double would_be;				    /* the same if all zones were timed */
	double calls_a_second;
	unsigned int over; /* number of consecutive judgements above the limit */
};

/* @limit as in struct governor. */
struct governor governor_of(double limit);

/* The mode in which a function begins: with a limit, one that can be timed is only counted at
 * first, to estimate the cost of timing it. */
void governor_begin(const struct governor *, struct governed *);

/*
 * A tick. @now_ns: of any clock that is never 0. @cpu_ns: CPU time of the target so far, including
 * what probes added; it decreases when a process ends. True: enough has passed since it last
 * returned true (GOVERNOR_CPU_NS, or GOVERNOR_IDLE_NS of time); slowdown is new, and modes may have
 * changed.
 *
 * Above the limit, the most expensive zones are only counted; if none is timed any more and two
 * judgements agree, the most expensive ones lose their probes for good. A counted zone is timed
 * again if the slowdown would stay well below the limit at the recent peak rates, and after a delay
 * that doubles each time that it was too expensive.
 */
bool governor_tick(struct governor *, uint64_t now_ns, uint64_t cpu_ns, struct governed *zones,
		   size_t n);
#define GOVERNOR_CPU_NS	 20000000u
#define GOVERNOR_IDLE_NS 2000000000u

#endif
