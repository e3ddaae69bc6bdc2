/*
 * comparison: the result of a comparison (compare/result.h) as blocks of a document, and as JSON.
 */
#ifndef VIEW_COMPARISON_H
#define VIEW_COMPARISON_H

#include <stdio.h>

#include "diff/diff.h"
#include "compare/result.h"
#include "doc.h"

enum comparison_rows {
	ROWS_CHANGED, /* those that are unchanged or undecided are left out */
	ROWS_FOLDED,  /* they stand behind the others, where a format has room for them */
	ROWS_ALL,
};
/* The verdict, what was compared, and how. */
void comparison_write_facts(const struct comparison *, struct doc *);
/* What a reader wants first: the verdict, and against what. */
void comparison_write_verdict(const struct comparison *, struct doc_block *facts);
/* What changed, row by row, and what one side has alone. */
void comparison_write_rows(const struct comparison *, struct doc *, enum comparison_rows);
/* Both. */
void comparison_write(const struct comparison *, struct doc *, enum comparison_rows);

/* One object: schema_version, tool, provenance, results, only_one_side, verdict. What is not finite
 * is null. */
#define COMPARISON_JSON_SCHEMA 1
void comparison_json(const struct comparison *, const char *tool, FILE *out);

/* The call trees of both sides as one flame graph (diff/diff.h), and the paths that changed most
 * as a table; pictures have the flame graph alone, tables of machines nothing. The diff is to
 * outlive the document. */
void difference_write(struct diff *, struct doc *, enum doc_medium medium);

#endif
