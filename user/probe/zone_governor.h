/*
 * zone_governor: what the probes of zones slow the target down by, and which zones are timed,
 * counted alone, or without probes so that it stays below a limit. It knows no clock and no probe:
 * it is told at every tick how many calls there were, what they cost, and how much CPU time the
 * target had. For probe/ and the source of zones.
 *
 * A slowdown is the time that probes add as a part of the time that the target takes without them:
 * at 0.2 it takes 1.2 times as long.
 */
#ifndef PROBE_ZONE_GOVERNOR_H
#define PROBE_ZONE_GOVERNOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum zone_mode {
	ZONE_MODE_TIMED,    /* as far as its calls can be */
	ZONE_MODE_COUNTED,  /* and no more */
	ZONE_MODE_DETACHED, /* it has no probes any more */
};

/* A zone. All 0 is one that was never called. */
struct governed {
	/* The caller's, before each tick. */
	uint64_t timed, counted; /* calls so far, by how they were taken */
	double full_ns;		 /* what a call costs that is timed as far as it can be … */
	double count_ns;	 /* … and one that is only counted, no more than full_ns */

	/* The governor's. Times are those of the ticks; 0: never. */
	enum zone_mode mode;
	uint64_t counted_from_ns; /* it first was too dear to be timed */
	uint64_t fallen_ns;	  /* the last time that it was */
	uint64_t timed_from_ns;	  /* it was timed again, the last time */
	uint64_t detached_ns;
	uint64_t detached_calls; /* it had so many calls by then */
	uint64_t hold_ns;	 /* it is not timed again before that */
	uint32_t falls;		 /* how often it was too dear to be timed */
	bool doomed;		 /* counting it alone is too dear */
	uint64_t seen_timed, seen_counted;
	double rate, peak; /* calls per ns of the target's own time, last and of late */
};

struct governor {
	double limit;	    /* highest slowdown; 0: there is none, and modes stay as they are */
	uint64_t begun_ns;  /* the first tick; 0: none yet */
	uint64_t judged_ns; /* the last one that had seen enough of the target to judge by */
	uint64_t cpu_ns, seen_cpu_ns;
	double slowdown; /* between the last two of these; below 0: not known yet */
	double would_be; /* the same if all zones were timed */
	double calls_a_second;
	unsigned int over; /* so many of these one after the other were above the limit */
};

/* @limit as in struct governor. */
struct governor governor_of(double limit);

/* What mode a zone begins in: where there is a limit it is only counted at
 * first, which tells what it would cost to time it. */
void governor_begin(const struct governor *, struct governed *);

/*
 * A tick: @now_ns of any clock that never is 0; @cpu_ns: CPU time of the target so far, with what
 * probes added to it; less than last time where a process ended. True: enough was seen since the
 * last time that was true (GOVERNOR_CPU_NS, or GOVERNOR_IDLE_NS of time), slowdown is new, and
 * modes may be others.
 *
 * Above the limit the dearest zones are counted alone; if none is left that is timed, and two
 * judgements agree, the dearest of those lose their probes, for good. What is counted alone is
 * timed again where all would stay well below the limit by the highest rates of late, and after a
 * time that doubles each time that it was too dear.
 */
bool governor_tick(struct governor *, uint64_t now_ns, uint64_t cpu_ns, struct governed *zones,
		   size_t n);
#define GOVERNOR_CPU_NS	 20000000u
#define GOVERNOR_IDLE_NS 2000000000u

#endif
