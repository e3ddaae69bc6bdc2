/*
 * pairs: what functions spend in themselves, by their callers. They share out all samples, and are
 * more than the functions: code that is inlined everywhere, or a leaf that all call, would else be
 * all that there is to tell what functions have in common (common.h).
 */
#ifndef COMPARE_PAIRS_H
#define COMPARE_PAIRS_H

#include "compare/matrix.h"

/* How many pairs have COMMON_SAMPLES on each side. @sampled: of @runs of both sides, base first. */
size_t pairs_count(const struct sampled *sampled, const size_t runs[SIDES]);

/* The changes of the shares of these pairs; the caller releases them. */
typedef VEC(struct common_vote) common_votes;
void pairs_vote(const struct comparison *, const struct sampled *, common_votes *out);

#endif
