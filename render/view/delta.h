/*
 * delta: a comparison beside the rows of a table: what each function or zone had before, how it
 * changed, and the verdict.
 */
#ifndef VIEW_DELTA_H
#define VIEW_DELTA_H

#include "compare/result.h"
#include "doc.h"

/* "regressed"; where one run against one looks changed "undecided (suspect: more)" of what became
 * worse, "undecided (apparently less)" of what became better. Static. */
const char *delta_verdict_text(const struct compare_row *);

/* --- columns ---------------------------------------------------------------------------------- */

/* The rows of a comparison by the functions and zones of a profile: of its new side. */
struct deltas;

/* NULL where nothing was comparable. Both are borrowed. */
struct deltas *deltas_new(const struct comparison *, const struct profile *);
void deltas_free(struct deltas *);

/* What a table says of a row of its own. */
struct delta {
	const struct compare_row *row; /* NULL: none was compared */
	bool is_new;		       /* the base has no such */
};
/* By row of functions: ROW_SELF or ROW_TOTAL; new functions are known by ROW_TOTAL. */
struct delta deltas_function(const struct deltas *, uint32_t function, enum row_kind);
struct delta deltas_zone(const struct deltas *, uint32_t zone);

/* Whether the samples of @metric were compared; whether zones were. */
bool deltas_have_metric(const struct deltas *, const char *metric);
bool deltas_have_zones(const struct deltas *);

/* Three columns and their cells. @total: of a second set of them. */
#define DELTA_COLUMNS 3
const struct doc_column *delta_columns(bool total);
void delta_cell(struct doc_table *, const struct delta *, size_t column);
void delta_cells(struct doc_table *, const struct delta *);

/* A line under such a table: what the columns are against and per what. */
void deltas_note(const struct deltas *, struct doc *);

#endif
