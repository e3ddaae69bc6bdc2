/*
 * html_table: a table of the HTML report, as rows to read without the page's script and as data
 * for it. For format/html only.
 */
#ifndef FORMAT_HTML_TABLE_H
#define FORMAT_HTML_TABLE_H

#include "doc.h"
#include "web/pack.h"

/* The first rows as HTML; @number: the how many-th table of the page it is. */
void html_table(FILE *out, const struct doc_table *, const char *caption, uint32_t number);
/* All rows as data: how many columns and rows, then column by column, each after its kind, name and
 * whether it is an extra one. */
void html_table_pack(struct pack *out, const struct doc_table *);

#endif
