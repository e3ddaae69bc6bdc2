/* cells: the cells of a profile's tables, by their description (model/table.h). For exports that
 * write whole tables. */
#ifndef EXPORT_CELLS_H
#define EXPORT_CELLS_H

#include <stdio.h>

#include "model/profile.h"

/* Of a column of texts. @row is where the row begins in memory. */
const char *cell_text(const struct profile *, const struct column *, const char *row);
/* Prints one of the others; a fraction with all its digits, so that reading it back is exact. */
void cell_number(const struct column *, const char *row, FILE *out);

#endif
