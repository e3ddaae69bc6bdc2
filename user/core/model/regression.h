/*
 * regression: what a comparison of the profile with its baseline found when its capture ended: a
 * row for each thing that was compared, and one for each run. The rest is attributes of the run
 * (meta.h). It holds for this profile as a whole: an excerpt or a merge has none.
 * compare/kept.h makes and reads it.
 */
#ifndef MODEL_REGRESSION_H
#define MODEL_REGRESSION_H

#include <stddef.h>
#include <stdint.h>

struct profile;
struct str;

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

/* Copies the tables and attributes of one profile into another that has none. Texts are made fit
 * for people where they are not. */
void regression_copy(const struct profile *from, struct profile *to);

/* Notes that there was nothing to compare with, and why: one sentence. */
void regression_put_none(struct profile *p, const char *why);
/* "regressed against 1.4.1 (5 runs): 2 regressed, 0 improved, …", or "no baseline: …"; NULL where
 * nothing was asked for. Freed by the caller. */
char *regression_line(const struct profile *);

/* Packs a profile's regression for another process, and unpacks it into an empty profile: -EINVAL
 * with a text for other bytes (model/packed.h); memory in proportion to @n. */
void regression_pack(const struct profile *, struct str *out);
int regression_unpack(const char *at, size_t n, struct profile *out);

#endif
