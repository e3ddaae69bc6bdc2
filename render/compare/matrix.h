/*
 * matrix: what was seen, before it is judged: a row for each thing, a column for each run. Zones
 * (zoned.h) and sampled functions (sampled.h) fill it, judge.h reads it.
 */
#ifndef COMPARE_MATRIX_H
#define COMPARE_MATRIX_H

#include "compare/result.h"

/* One value of one run. */
struct seen {
	double value; /* in the row's unit; 0: nothing was there */
	double log;   /* its logarithm; NAN: no value to judge by */
	double noise; /* variance of log by chance within the run, as if samples came alone */
	double over;  /* how many times larger that is, as the run's own slices tell; 1: no word */
	double count; /* samples or calls behind it */
	double cost;  /* of a call; 0 unknown */
};

struct matrix_row {
	enum row_kind kind;
	uint32_t subject;
	double floor;	 /* a smaller difference of values is none */
	struct seen *at; /* n_runs; owned by the matrix */
};

struct matrix {
	size_t n_runs; /* base runs, then new ones, then the history */
	VEC(struct matrix_row) rows;
	struct map by_key;
};

void matrix_init(struct matrix *, size_t n_runs);
void matrix_release(struct matrix *);
/* The row of that key; a new one has seen nothing: log is NAN. */
struct matrix_row *matrix_row(struct matrix *, enum row_kind, uint32_t subject);
/* Sets the value and, where it is positive, its logarithm. */
void seen_value(struct seen *, double value);

#endif
