/*
 * moderate: the variance of a row of few runs, moderated by those of all rows: empirical Bayes, as
 * limma has it for genes. Smyth, "Linear models and empirical Bayes methods for assessing
 * differential expression in microarray experiments" (2004), section 6: the rows' true variances
 * are drawn from a scaled inverse χ² with prior d0 and s0², which are fitted to the moments of the
 * logarithms of the variances that were seen. Five runs then have the power of many.
 */
#ifndef COMPARE_MODERATE_H
#define COMPARE_MODERATE_H

#include <stddef.h>

#include "compare/evidence.h"

/* Fewer rows tell nothing of each other: their variances stay as they are. */
#define MODERATE_LEAST 10

struct prior {
	double df;	 /* d0; 0: no prior; INFINITY: all rows vary alike */
	double variance; /* s0² */
	double most; /* degrees of freedom that a moderated variance can have: all rows' together */
};

/* Of the @n variances of rows, each of which has its own degrees of freedom; those with none are
 * left out. */
struct prior prior_fit(const struct scatter *rows, size_t n);

/*
 * The posterior: variance (d0 s0² + d s²) / (d0 + d), with d0 + d degrees of freedom. A row that
 * varies more than the prior explains (F test at 1 %) keeps its own: it is another kind of row, and
 * would be called changed too easily.
 */
struct scatter prior_moderate(const struct prior *, struct scatter row);

#endif
