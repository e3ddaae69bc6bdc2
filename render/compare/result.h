/*
 * result: what is compared (the runs of two sides, the options, the bounds), and what the
 * comparison found: a row for each thing that was compared. The result owns all that it holds, so
 * it outlives the profiles; code that shows it needs nothing else.
 */
#ifndef COMPARE_RESULT_H
#define COMPARE_RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/fail_on.h"
#include "base/vec.h"
#include "compare/common.h"
#include "compare/course.h"
#include "compare/subject.h"
#include "model/profile.h"
#include "query/selection.h"

#define COMPARE_Q	  .05
#define COMPARE_GATE	  .02 /* smaller changes do not count */
#define COMPARE_TOLERANCE .05 /* "unchanged" rules out a change as large as this */
#define COMPARE_BETWEEN	  .03 /* variation from run to run where nothing is known of it */
#define COMPARE_HOST	  .1  /* the same of the times of whole runs, which have the host's, too */
#define COMPARE_LEAST	  10 /* samples, both sides together: with fewer a function is not tested */
#define COMPARE_CLOCK_NS  25 /* a reading of the clock: a smaller change a call does not count */
#define COMPARE_RUNS_MOST 1000

enum verdict {
	VERDICT_REGRESSED,
	VERDICT_IMPROVED,
	VERDICT_MOVED,	   /* between functions of one caller, whose own total did not change */
	VERDICT_UNDECIDED, /* the runs do not tell: the interval holds both 0 and a real change */
	VERDICT_UNCHANGED, /* a real change is ruled out */
	VERDICT_NOT_COMPARABLE,
	VERDICTS
};

/* "regressed" … "not comparable". */
const char *verdict_name(enum verdict);

/* What a row is of. */
enum row_kind {
	ROW_WHOLE, /* the run as a whole: its length, or all of the metric */
	ROW_ZONE,  /* the time of a zone */
	ROW_CALLS, /* the calls of a zone that was only counted */
	ROW_SELF,  /* samples in a function itself */
	ROW_TOTAL, /* in the function and all that it calls */
	ROW_KINDS
};

/* "zone", "self" … */
const char *row_kind_name(enum row_kind);

/* What a value is per. */
enum per {
	PER_AUTO,   /* PER_RUN where all runs are of whole commands, else PER_WORK */
	PER_RUN,    /* amount in a run */
	PER_SECOND, /* amount a second of the capture */
	PER_WORK,   /* zones: amount a call; functions: share of all samples */
};

const char *per_name(enum per);

enum direction { LOWER_IS_BETTER, HIGHER_IS_BETTER };

/* Two sides: 0 the base, 1 the new one. */
enum { BASE, NEW, SIDES };

/* How a quantile of the times of a zone's calls changed: see quantile.h. */
#define COMPARE_QUANTILES 3
extern const double compare_quantiles[COMPARE_QUANTILES]; /* 0.5, 0.9, 0.99 */
struct compare_quantile {
	double value[SIDES];	  /* ns, of all calls of the runs together; 0: not known */
	double change, low, high; /* as those of rows; NAN where the runs do not tell */
};

struct compare_options {
	struct selection selection;
	enum per per;
	enum direction direction;
	double gate;	  /* 0: COMPARE_GATE */
	double between;	  /* standard deviation of the logarithm from run to run; 0: COMPARE_BETWEEN
			   */
	const char *work; /* zones whose calls are the unit of work; NULL: chosen */
};

/* The runs of a comparison; all is borrowed. */
struct compare_input {
	const struct profile *const *runs[SIDES]; /* at least one a side */
	size_t n[SIDES];
	/* Earlier runs, oldest first, for the course of each row; may be none. */
	const struct profile *const *history;
	size_t n_history;
};

/* Texts of a result belong to struct comparison. */
struct compare_row {
	enum row_kind kind;
	const char *name, *module; /* module "" where there is none */
	const char *unit;	   /* "ns", "share", "calls", … : of the values */
	double value[SIDES];	   /* geometric means over the runs; 0 where there was nothing */
	size_t runs[SIDES];	   /* that have a value */
	double count[SIDES];	   /* samples or calls behind the values, a run */
	/* The change as a ratio: 0.1 is 10 % more. NAN where one side has nothing. Of functions
	 * less what all of them have in common (common.h). */
	double change, low, high; /* and the interval that holds it with 95 % */
	double error, df;	  /* of the logarithm of the change: its standard error */
	double p, q;		  /* of no change; q: BH-adjusted over all rows. NAN: not tested */
	double weight;		  /* in that adjustment; 1: as the mean of rows */
	enum verdict verdict;
	/* Undecided, because one run against one cannot decide; but it looks worse or better. */
	bool suspect, better;
	bool too_few;	 /* undecided: fewer than COMPARE_LEAST samples, not tested */
	const char *why; /* why it is undecided or moved; NULL: the numbers say it */
	/* Zones: what the change of the total (new - base) comes from, in the value's unit; they
	 * add up to it. 0 where nothing is known. */
	double cost[SIDES]; /* of a call */
	double by_calls, by_cost;
	struct compare_quantile quantile[COMPARE_QUANTILES]; /* zones whose times have histograms */
	struct course course; /* of the runs before and this one; n 0: none was asked for */
	uint32_t subject;     /* of subjects; UINT32_MAX of ROW_WHOLE */
};

/* A function or zone that only one side has. */
struct compare_only {
	const char *name, *module;
	const char *other; /* what it was likely called before, or is called now; NULL: unknown */
	bool is_new, is_zone;
	double value; /* as the values of rows: total */
	double count;
	uint32_t subject;
};

/* A run that was compared; "" where nothing is known. */
struct compare_run {
	const char *version, *platform, *name, *command, *cpu;
	int64_t started_unix_ns;
};

struct comparison {
	enum per per;
	enum direction direction;
	size_t runs[SIDES];
	struct compare_run *run[SIDES]; /* owned: runs[side] of them */
	const char *alias, *alias_of;	/* the program's module is taken for the base's; or NULL */
	const char *choice; /* how the base was chosen, set by who chose it; NULL: it was named */
	const char *metric, *unit, *base; /* of the samples; NULL where none were compared */
	bool judged; /* what follows up to spread is known: it is not of one that an older eprof
		      * kept */
	bool shares; /* functions are judged by their shares, whatever their values are per */
	struct common common, common_zones; /* what all functions, and zones, have in common */
	const char *work;		    /* as the options have it; borrowed */
	bool in_turns;			    /* runs of both sides were captured in turns */
	double spread;			    /* of whole runs of one side, as times; NAN: unknown */
	const char *sight; /* of one that a profile kept: gate_sight_text(); NULL: unknown */
	double gate;	   /* smaller changes are none: 0.02 */
	bool net;	   /* zones: less what the probes cost */
	bool single;	   /* one run against one: no verdict is final */
	double between;	   /* then: the variation between runs that was taken, 0.03 */
	const char *not_comparable;    /* why nothing is; NULL: it is */
	VEC(const char *) notes;       /* what to know before trusting it, one sentence each */
	VEC(struct compare_row) rows;  /* by verdict, then the size of the change in values */
	VEC(struct compare_only) only; /* by value */
	size_t few_only; /* of one side only, with so few samples that this may be chance */
	struct subjects subjects;
	VEC(char *) texts; /* owned */
};

/* Gives @c a text that was allocated, or NULL, and returns it. */
const char *comparison_own(struct comparison *c, char *text);
void comparison_note(struct comparison *c, char *text);

/* "Welch's t on runs": the statistical test of changes. Static. */
const char *comparison_method(const struct comparison *);

size_t comparison_count(const struct comparison *, enum verdict);
/* What became worse, if one run a side could decide it. */
size_t comparison_suspects(const struct comparison *);
/* What was added to the row's value, less what all functions have in common. */
double comparison_delta(const struct comparison *, const struct compare_row *);
/* The verdict of all: regressed where any row is, else improved where any is, else unchanged where
 * there are rows that are, else undecided. */
enum verdict comparison_verdict(const struct comparison *);
/* Whether a row regressed by @percent or more. */
bool comparison_regressed(const struct comparison *, double percent);
/* Whether it has what --fail-on asks for. */
bool comparison_fires(const struct comparison *, const struct fail_on *);
void comparison_release(struct comparison *);

#endif
