/*
 * evidence: what two groups of runs tell about a difference between them: an estimate, how far it
 * may be off, and how likely a difference as large is by chance. Values are logarithms, so a
 * difference is a ratio; the unit of inference is the run.
 */
#ifndef COMPARE_EVIDENCE_H
#define COMPARE_EVIDENCE_H

#include <stddef.h>

/* What is known of the spread of one value: its variance, and with how many degrees of freedom that
 * is known (INFINITY: exactly). */
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
 * discoveries at which it is one. NAN stays, and does not count.
 */
void false_discoveries(double *p, size_t n);

#endif
