/*
 * regression: the result of comparing the profile with its baseline when its capture ended: a row
 * for each thing compared and each run; the rest is attributes of the run (meta.h). It holds for
 * this profile as a whole: a selection or a merge has none. compare/kept.h makes and reads it.
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
	REGRESSION_REMOVED, /* only the baseline has it */
	REGRESSION_VERDICTS
};

/* Bits of flags. All numbers of a row are finite: unknown ones are 0, and their bit is not set. */
enum {
	REGRESSION_CHANGE = 1, /* change, low and high are known */
	REGRESSION_TESTED = 2, /* p and q are known */
	REGRESSION_SUSPECT =
		4, /* looks worse (older ones: changed), but one run a side cannot decide */
	REGRESSION_TOO_FEW = 8,	      /* too few samples to be tested */
	REGRESSION_LOOKS_BETTER = 16, /* looks better, as SUSPECT */
};

struct regression {
	uint8_t of, verdict, flags;
	uint32_t name, module;	  /* without compilers' suffixes, as comparisons match them */
	uint32_t unit;		  /* of base and now: "ns", "share", "calls" … */
	uint32_t note;		  /* why; if added or removed, the likely other name */
	double base, now;	  /* means over the runs */
	double change, low, high; /* 0.1 is 10 % more; and its 95 % interval */
	double p, q;		  /* of no change; q is adjusted for the number of rows */
	double base_count, count; /* samples or calls of a run */
	double base_cost, cost;	  /* of a call of a zone, in ns */
	double by_calls, by_cost; /* parts of now - base due to the number and the cost of calls */
};

/* A zone's quantile of the times of its calls. */
struct regression_quantile {
	uint32_t row; /* of the table above */
	uint8_t flags;
	double quantile;	  /* 0.5, 0.9, 0.99 */
	double base, now;	  /* ns, of all calls of the runs together */
	double change, low, high; /* REGRESSION_CHANGE is of change, _TESTED of low and high */
};

/* A run that was compared. */
struct regression_run {
	uint8_t is_new; /* 0: of the baseline */
	uint32_t version, platform, name, command, cpu;
	int64_t started_unix_ns;
};

/* Notes that there was nothing to compare with, and why: one sentence. */
void regression_put_none(struct profile *p, const char *why);
/* "regressed against 1.4.1 (5 runs): 2 regressed, 0 improved, …", or "no baseline: …"; NULL if
 * no comparison was asked for. Freed by the caller. */
char *regression_line(const struct profile *);

/* Packs a profile's regression for another process, and unpacks it, with clean texts, into a
 * profile that has none: -EINVAL with a text for other bytes (model/packed.h); memory is in
 * proportion to @n. */
void regression_pack(const struct profile *, struct str *out);
int regression_unpack(const char *at, size_t n, struct profile *out);

#endif
