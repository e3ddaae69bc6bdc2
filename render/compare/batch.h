/*
 * batch: rows of one kind, judged together: from the matrix to rows with their evidence, which have
 * no verdict yet. What all of them have in common is taken out before (common.h).
 */
#ifndef COMPARE_BATCH_H
#define COMPARE_BATCH_H

#include "compare/gather.h"
#include "compare/judge.h"

/* Adds the rows of @kinds (bits) to @c. Takes what is common out of the new runs' logarithms in the
 * matrix. @agree: per row of @c, whether ranks agree; has room for all rows of the matrix. */
void batch_judge(struct comparison *c, struct gathered *, const struct compare_input *,
		 unsigned kinds, bool *agree);

/* Sets what a row says of the change. */
void batch_set_evidence(struct compare_row *, const struct evidence *);

#endif
