/*
 * txt: what the parts of the text format share. For format/txt*.c only.
 */
#ifndef FORMAT_TXT_H
#define FORMAT_TXT_H

#include "doc.h"
#include "paint/term.h"

#define TXT_MARGIN 2 /* columns before everything but headings */

/* @rows: so many at most; 0: as the table says. */
void txt_table(struct term *, const struct doc_table *, size_t rows);
/* Of a pattern of five steps, from nothing to full. */
const char *txt_shade(const struct term *, size_t step);
void txt_calls(struct term *, const struct call_chart *);

#endif
