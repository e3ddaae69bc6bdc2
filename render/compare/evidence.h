/*
 * evidence: the difference between two groups of runs: an estimate, its error, and how likely
 * chance alone makes a difference as large. Values are logarithms, so a difference is a ratio; the
 * unit of inference is the run.
 */
#ifndef COMPARE_EVIDENCE_H
#define COMPARE_EVIDENCE_H

#include <stddef.h>

/* The spread of a value: its variance, and the degrees of freedom of that (INFINITY: it is known
 * exactly). */
struct scatter {
	double variance, df;
};

struct evidence {
	double difference; /* new - base */
	double error;	   /* its standard error */
	double df;
	double p; /* two-sided; NAN where it cannot be judged */
};

/* The spread of a sum of independent values: degrees of freedom by Satterthwaite (1946). */
struct scatter scatter_add(struct scatter, struct scatter);
struct scatter scatter_scale(struct scatter, double factor);

/*
 * The t test of a @difference whose squared standard error is that spread. Of two means it is
 * Welch's (1947), where their spreads are added: s1²/n1 with n1 - 1 and s2²/n2 with n2 - 1 degrees
 * of freedom; of one new run against n earlier ones the predictive t, with s² (1 + 1/n).
 */
struct evidence evidence_of(double difference, struct scatter error);

/* Half the width of the interval that holds the difference with 95 %. */
double evidence_half_width(const struct evidence *);

/*
 * Mann and Whitney's U test: the two-sided p of @n1 values against @n2. Exact, ties included, up to
 * RANKS_EXACT values: all ways to deal the mid-ranks out are counted. Above that by the normal
 * approximation with correction for ties and continuity. 1 where a side is empty.
 */
#define RANKS_EXACT 40
double ranks_p(const double *a, size_t n1, const double *b, size_t n2);

/*
 * Benjamini and Hochberg (1995): replaces each of the @n values of p by the smallest rate of false
 * discoveries at which it is one. NAN stays, and does not count. With @weights (NULL: all alike) p
 * counts for p over its weight: Genovese, Roeder and Wasserman, "False discovery control with
 * p-value weighting" (2006). These are relative, and must not come from what is tested.
 */
void false_discoveries(double *p, const double *weights, size_t n);

/*
 * The variance of a row of few runs is moderated by those of all rows: empirical Bayes, as limma
 * has it for genes. Smyth, "Linear models and empirical Bayes methods for assessing differential
 * expression in microarray experiments" (2004), section 6: the rows' true variances are drawn from
 * a scaled inverse χ² with prior d0 and s0², which are fitted to the moments of the logarithms of
 * the variances that were seen. Five runs then have the power of many. Fewer rows than
 * MODERATE_LEAST tell nothing of each other: their variances stay as they are.
 */
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
