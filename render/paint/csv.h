/*
 * csv: a field of a table in CSV. For format/csv and the exports.
 */
#ifndef PAINT_CSV_H
#define PAINT_CSV_H

#include <stdio.h>

/* @before, then @s: in quotes, its own quotes doubled, where it holds a comma, a quote or the end
 * of a line, or starts or ends with a space (RFC 4180, section 2). */
void csv_field(FILE *out, const char *before, const char *s);
/* The same for people, who open it in a spreadsheet: a text that this would take for a formula (it
 * begins with = + - @, a tab or the end of a line, also behind spaces or in the wide forms) and is
 * no number has an apostrophe before it. Not for what other programs read back. */
void csv_text(FILE *out, const char *before, const char *s);

#endif
