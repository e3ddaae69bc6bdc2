/*
 * regression: what a comparison of the profile with its baseline found when its capture ended
 * (compare/regression.h makes and reads it): one row for each thing that was compared, and one for
 * each run that was. The rest is attributes of the run, "regression.…" below. It is of this profile
 * as a whole: an excerpt or a merge has none.
 */
#ifndef MODEL_REGRESSION_H
#define MODEL_REGRESSION_H

#include <stdint.h>

/* What is compared. Stored: append only. */
enum {
	REGRESSION_OF_RUN,   /* the run as a whole: its length, or all of the metric */
	REGRESSION_OF_ZONE,  /* the time of a zone */
	REGRESSION_OF_CALLS, /* the calls of a zone that was only counted */
	REGRESSION_OF_SELF,  /* samples in a function itself */
	REGRESSION_OF_TOTAL, /* in the function and all that it calls */
	REGRESSION_OF_KINDS
};

/* Stored: append only. */
enum {
	REGRESSION_REGRESSED,
	REGRESSION_IMPROVED,
	REGRESSION_MOVED,
	REGRESSION_UNDECIDED,
	REGRESSION_UNCHANGED,
	REGRESSION_NOT_COMPARABLE,
	REGRESSION_ADDED,   /* the baseline has no such zone or function */
	REGRESSION_REMOVED, /* it alone has */
	REGRESSION_VERDICTS
};

/* Bits of flags. All numbers of a row are finite: what is not known is 0, and has no bit here. */
enum {
	REGRESSION_CHANGE = 1,	/* change, low and high are known */
	REGRESSION_TESTED = 2,	/* p and q are */
	REGRESSION_SUSPECT = 4, /* undecided, for one run a side cannot decide, but looks changed */
	REGRESSION_TOO_FEW = 8, /* too few samples to be tested */
};

struct regression {
	uint8_t of, verdict, flags;
	uint32_t name, module; /* less what compilers append, as comparisons match them */
	uint32_t unit;	       /* of base and now: "ns", "share", "calls" … */
	uint32_t note;	       /* why; of what was added or removed the other name it likely has */
	double base, now;      /* means over the runs */
	double change, low, high; /* 0.1 is 10 % more; and the interval that holds it with 95 % */
	double p, q;		  /* of no change; q is adjusted for the number of rows */
	double base_count, count; /* samples or calls of a run */
	double base_cost, cost;	  /* of a call of a zone, in ns */
	double by_calls, by_cost; /* of now - base, what comes from the number and cost of calls */
};

/* A zone's quantile of the times of its calls. */
struct regression_quantile {
	uint32_t row; /* of the table above */
	uint8_t flags;
	double quantile;	  /* 0.5, 0.9, 0.99 */
	double base, now;	  /* ns, of all calls of the runs together */
	double change, low, high; /* as above; REGRESSION_CHANGE: change, REGRESSION_TESTED: the
				   * interval */
};

/* A run that was compared. */
struct regression_run {
	uint8_t is_new; /* 0: of the baseline */
	uint32_t version, platform, name, command, cpu;
	int64_t started_unix_ns;
};

/* Attributes of the run. A profile that was held against nothing, though that was asked for, has
 * the first two. */
#define REGRESSION_PREFIX   "regression."
#define REGRESSION_VERDICT  "regression.verdict" /* "regressed" … or REGRESSION_NONE */
#define REGRESSION_NONE	    "no baseline"
#define REGRESSION_WHY	    "regression.why"	  /* there is none, or it is not comparable */
#define REGRESSION_BASELINE "regression.baseline" /* its version */
#define REGRESSION_CHOICE   "regression.choice"	  /* how it was chosen */
#define REGRESSION_METHOD   "regression.method"
#define REGRESSION_GATE	    "regression.gate"	/* "0.02": smaller changes are none */
#define REGRESSION_Q	    "regression.q"	/* "0.05": of those found, so many may be none */
#define REGRESSION_COUNTS   "regression.counts" /* "1 regressed, 0 improved …" */
#define REGRESSION_PER	    "regression.per"	/* what values are per: "run", "second", "work" */
#define REGRESSION_BETTER   "regression.better" /* "lower" or "higher" values are */
#define REGRESSION_METRIC   "regression.metric" /* of the samples */
#define REGRESSION_UNIT	    "regression.unit"
#define REGRESSION_OF	    "regression.of"	  /* what 100 % of them is */
#define REGRESSION_NET	    "regression.net"	  /* "1": zones less what the probes cost */
#define REGRESSION_BETWEEN  "regression.between"  /* variation that was taken for one run a side */
#define REGRESSION_NOTES    "regression.notes"	  /* to know before trusting it */
#define REGRESSION_FEW_ONLY "regression.few_only" /* of one side only, but that may be chance */
#define REGRESSION_ALIAS    "regression.alias"	  /* the program's file, which is taken for … */
#define REGRESSION_ALIAS_OF "regression.alias_of" /* … this one of the baseline */

struct profile;

/* Copies the tables and attributes of one profile into another that has none. Texts are made fit
 * for people where they are not. */
void regression_copy(const struct profile *from, struct profile *to);

#endif
