/*
 * csv: a field of a table in CSV. For format/csv and the exports.
 */
#ifndef PAINT_CSV_H
#define PAINT_CSV_H

#include <stdio.h>

/* @before, then @s: in quotes, its own quotes doubled, where it holds a comma, a quote or the end
 * of a line, or starts or ends with a space (RFC 4180, section 2). */
void csv_field(FILE *out, const char *before, const char *s);

#endif
