/*
 * row_add: what becomes of the cells of a row when another of equal keys is added to it, by
 * enum column_adds. For model/rows.c.
 */
#ifndef MODEL_ROW_ADD_H
#define MODEL_ROW_ADD_H

#include "model/profile.h"

/* Adds @row to @to, both with numbers of @p; @latest: @row is of a later window of the capture.
 * True where a sum does not fit. */
bool row_add(struct profile *p, const struct table *, char *to, const char *row, bool latest);

/* Takes the sums of @row, of equal keys, off those of @from. */
void row_subtract(const struct table *, char *from, const char *row);

/* Fills what is for adding up alone, of a row of @from: its means hold for @ns; 0: for its
 * duration. */
void row_adopt(const struct table *, const struct profile *from, uint64_t ns, char *row);

/* Computes means and sums of fractions from what is for adding up, of a row of @p. */
void row_derive(const struct table *, const struct profile *p, char *row);

/* Takes away what is true of the whole only. */
void row_clear(const struct table *, char *row);

#endif
