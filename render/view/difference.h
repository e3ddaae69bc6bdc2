/*
 * difference: the call trees of both sides of a comparison as one flame graph (compare/diff.h), and
 * the paths that changed most as a table.
 */
#ifndef VIEW_DIFFERENCE_H
#define VIEW_DIFFERENCE_H

#include "compare/diff.h"
#include "doc.h"

/* Writes it for @place; pictures have the flame graph alone, tables of machines nothing. The diff
 * is to outlive the document. */
void difference_write(struct diff *, struct doc *, enum doc_place place);

#endif
