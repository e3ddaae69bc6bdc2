/*
 * zone: functions whose calls were counted and timed, and their call tree: rows of the tables
 *zones, zone_edges, zone_threads, zone_hist and zone_values of a profile (profile.h), and the
 *arithmetic on them. A capture or an import fills them, views read them.
 *
 * Times are ns of the clock that the run's attribute RUN_CLOCK names (else of wall time).
 *
 * Order of filling:
 *	z = profile_zone(p, &row)            identity, counts, totals, spread (zone_set_calls …)
 *	e = profile_zone_edge(p, parent, z)  then add to p->zone_edges.at[e].counts …
 *	profile_zone_thread(), profile_zone_hist(), profile_zone_value()
 *	zones_finish(p)                      percent, percentiles, order of tables
 *	zones_compensate(p, costs)           zone_compensate.h: subtracts the cost of probes
 */
#ifndef MODEL_ZONE_H
#define MODEL_ZONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/exact.h"
#include "model/probing.h"

struct profile;

/* Flags of struct zone. Stored: append only. */
#define ZONE_SHORT	 0x01 /* compensated mean < 3 × probe cost: times are mostly probe */
#define ZONE_PSEUDO	 0x02 /* no function: <main>, <wait>, <overflow> */
#define ZONE_SELF_SPREAD 0x04 /* self_min_ns, self_max_ns, self_std_ns, self_m2 were measured */
#define ZONE_COMPENSATED 0x08 /* comp_* were computed */
#define ZONE_DETACHED	 0x10 /* its probes were detached: later calls were not counted */
#define ZONE_FLAGS	 0x1f /* all of them */

/*
 * One zone: a function in a module. Counters are exact.
 *
 *	counts = timed + untimed + unwound      (timed: zone_timed())
 *	calls entered while captured = counts + in_flight
 *	calls ended while captured   = counts + at_start
 */
struct zone {
	/* As tracy-csvexport has them, in its order. */
	uint32_t name;	   /* string: as people know it; demangled */
	uint32_t src_file; /* string, "" unknown */
	uint32_t src_line; /* 0 unknown */
	int64_t total_ns;  /* sum of timed calls; of recursive ones only the outermost */
	double total_perc; /* 100 · total_ns / the profile's duration; set by zones_finish() */
	uint64_t counts;   /* calls that ended (EXIT_NONE: that began); recursion included */
	int64_t mean_ns;   /* calls_ns / timed, rounded down; 0 without timed calls */
	int64_t min_ns, max_ns;
	double std_ns; /* of the timed calls, with n - 1; 0 for fewer than two */

	int64_t self_ns;  /* sum over timed calls of their time outside all zones below them */
	int64_t calls_ns; /* sum over all timed calls, recursion included: for mean, m2, histogram
			   */
	double m2;	  /* sum of (call's time - mean)² over the timed calls */
	int64_t self_min_ns, self_max_ns; /* of one call's self time: see ZONE_SELF_SPREAD */
	double self_std_ns, self_m2;
	int64_t p50_ns, p90_ns, p99_ns, p999_ns; /* from zone_hist; set by zones_finish() */

	/* Without the cost of probes; set by zones_compensate(). Never negative. */
	int64_t comp_total_ns, comp_self_ns;
	int64_t comp_mean_ns;
	/* Their errors, to either side, with 95 % probability. */
	int64_t total_margin_ns, self_margin_ns, mean_margin_ns;
	int64_t probe_ns; /* cost of the probes in all its calls, for the calling threads */

	/* Of the calling thread during the calls in total_ns; 0 if not measured: see RUN_CLOCK.
	 * zones_compensate() subtracts the cost of probes. CPU time is user and system time, and at
	 * most comp_total_ns. */
	int64_t cpu_ns, user_ns, sys_ns;
	int64_t runnable_ns, blocked_ns; /* off the CPU: ready to run; waiting */
	int64_t suspended_ns; /* its coroutine was switched out; in no other time of this row */
	uint64_t minflt, majflt, nvcsw, nivcsw;
	uint64_t inblock, oublock; /* of 512 bytes, as getrusage(2) */

	uint64_t in_flight; /* begun, but not ended when the capture stopped; in no time */
	uint64_t at_start;  /* ended, but begun before the capture; in no count and no time */
	uint64_t unwound;   /* left by longjmp, an exception, an exit of the thread; not timed */
	uint64_t untimed;   /* only counted: throttled, too deep, no safe way to see the end */
	uint64_t rets;	    /* timed calls that ended at a probe at an exit, not at a session's */

	uint8_t site_class; /* enum site_class */
	uint8_t exit_way;   /* enum exit_way */
	uint8_t flags;	    /* ZONE_… */
	uint32_t module;    /* index, 0 none */
	uint32_t function; /* index: the same function in samples; profile_zone() sets it where 0 */
	uint64_t address;  /* of the function in its module's file, 0 unknown */
	uint32_t note;	   /* string: why calls are only counted, or "" */

	/* For adding up: sums of squares of the timed calls' times and self times; sums over all
	 * timed calls, of which comp_mean_ns and mean_margin_ns are the means. */
	exact_sum squares, self_squares;
	exact_sum comp_calls, margin_calls;
};

/* The call tree of zones, merged over threads: a zone called from the row @parent without another
 * zone between. Row 0 is the root and no zone. */
#define ZONE_NONE UINT32_MAX
struct zone_edge {
	uint32_t parent;		     /* row, smaller than the own; the root is its own */
	uint32_t zone;			     /* row of zones; ZONE_NONE in the root alone */
	uint64_t counts;		     /* calls, as in struct zone */
	uint64_t timed;			     /* those of them in total_ns */
	int64_t total_ns;		     /* sum over the timed calls at this place */
	int64_t self_ns;		     /* less the zones below */
	int64_t comp_total_ns, comp_self_ns; /* set by zones_compensate() */
	int64_t total_margin_ns, self_margin_ns; /* their margins: see struct zone */
	/* For zones_compensate(), not in the file: timed calls that ended at a probe at an exit,
	 * and hits of such probes that ended no call; by EXIT_AT_…. */
	uint64_t exits[EXIT_SITES], passed[EXIT_SITES];
	/* The same: cost of other actions' probes in all calls at this place, the error of that,
	 * and the part of it in timed calls. */
	int64_t beside_ns, beside_off_ns, beside_timed_ns;
};

/* A zone in one thread. */
struct zone_in_thread {
	uint32_t zone, thread; /* rows */
	uint64_t counts;
	int64_t total_ns, self_ns; /* as in struct zone */
	int64_t min_ns, max_ns;
};

/* A bin (hist.h) of the times of a zone's timed calls. */
struct zone_bin {
	uint32_t zone;
	int64_t low_ns, high_ns; /* low <= time < high */
	uint64_t count;
};

/* The sum of one event of --clock EVENT over the calls in total_ns. */
struct zone_value {
	uint32_t zone;
	uint32_t name; /* string: the event */
	int64_t value;
};

/* A sum of squares of ns: one call of 4.3 s overflows 64 bits. */
typedef unsigned __int128 zone_squares;

/* 0 if a file has more other calls than calls (model/check.h). */
static inline uint64_t zone_timed(const struct zone *z)
{
	uint64_t others = z->untimed + z->unwound;

	return z->counts > others ? z->counts - others : 0;
}

/* Whether the net total is less than a tenth of the probes' cost, so that it says little. */
bool zone_is_dwarfed(const struct zone *);

/* Σ(x - mean)² of @n values from the sums of them and of their squares: computed in integers,
 * rounded once. 0 for n = 0, or for sums that no values have. */
double zone_m2(uint64_t n, uint64_t sum, zone_squares squares);
/* The standard deviation that goes with it, by n - 1; 0 for fewer than two values. */
double zone_std(uint64_t n, double m2);

/* Sets calls_ns, mean_ns, m2, std_ns, min_ns, max_ns from the @timed calls. zone_timed() must be
 * @timed already. A @sum above INT64_MAX (292 years) becomes that. */
void zone_set_calls(struct zone *, uint64_t timed, uint64_t sum, zone_squares squares, int64_t min,
		    int64_t max);
/* The same for the calls' self times: self_ns, self_min_ns …, and the flag ZONE_SELF_SPREAD. */
void zone_set_self(struct zone *, uint64_t timed, uint64_t sum, zone_squares squares, int64_t min,
		   int64_t max);

/* Sets total_perc (of duration_ns, which must be set) and the percentiles of every zone; sorts
 * zone_hist by zone and bin, and zone_threads by zone and total. To be called when the tables of
 * zones are complete. */
void zones_finish(struct profile *);

#endif
