/*
 * matrix: the values of all runs before they are judged: a row for each zone, function, and the
 * run as a whole, a column for each run. judge.h reads it.
 */
#ifndef COMPARE_MATRIX_H
#define COMPARE_MATRIX_H

#include "compare/result.h"
#include "compare/sampled.h"

/* One value of one run. */
struct seen {
	double value; /* in the row's unit; 0: the run has none */
	double log;   /* its logarithm; NAN: no value to judge by */
	double own;   /* of a zone: the same of what it spent in itself; NAN: unknown */
	double noise; /* variance of log by chance within the run, were samples independent */
	double over;  /* overdispersion: factor on noise, from the run's slices; 1: unknown */
	double count; /* samples or calls behind it */
	double cost;  /* of a call; 0 unknown */
};

struct matrix_row {
	enum row_kind kind;
	uint32_t subject;
	double floor;	 /* a smaller difference of values does not count */
	struct seen *at; /* n_runs; owned by the matrix */
};

struct matrix {
	size_t n_runs; /* base runs, then new ones, then the history */
	VEC(struct matrix_row) rows;
	struct map by_key;
};

void matrix_init(struct matrix *, size_t n_runs);
void matrix_release(struct matrix *);
/* The row of that key; in a new one each run's log is NAN. */
struct matrix_row *matrix_row(struct matrix *, enum row_kind, uint32_t subject);
/* Sets the value and, where it is positive, its logarithm. */
void seen_value(struct seen *, double value);

/* Fills a cell from the @value that a function has of a run's samples. Half a sample is added
 * (Jeffreys), so that a function without samples has a logarithm, too. @over: its overdispersion;
 * @share: @scale makes shares of values. */
void seen_sampled(struct seen *, const struct sampled *, double value, double over, double scale,
		  bool share);

/* Whether all zones of all runs that have zones have net times (less what the probes cost): only
 * then net times are compared, else measured ones. */
bool matrix_zones_are_net(const struct profile *const *runs, size_t n);

/* Fills column @run of the matrix from the zones of @p that the selection takes. Errors of
 * zone_rows_build(). */
int matrix_add_zones(struct matrix *, struct subjects *, size_t run, const struct profile *p,
		     const struct selection *, enum per, bool net);

#endif
