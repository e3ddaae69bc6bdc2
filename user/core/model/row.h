/*
 * row: finds rows of any table by their keys, so that a table has each key once, and adds up two
 * rows with equal keys, as the table declares (model/table.h). For the adders of profile.h and for
 * model/rows.h.
 */
#ifndef MODEL_ROW_H
#define MODEL_ROW_H

#include "model/profile.h"

/* To be called when a row was pushed to a table: removes it if another has its keys. The number of
 * the row with these keys; if several rows may have them, of the @nth, from 0. */
uint32_t row_put_nth(struct profile *, enum table_id, uint32_t nth);
static inline uint32_t row_put(struct profile *p, enum table_id id)
{
	return row_put_nth(p, id, 0);
}

/* Pushes a copy of the row to a table; see row_put(). */
void row_push(struct profile *, enum table_id, const void *row);

/* A hash of the table and the last row's keys. */
uint64_t row_last_key(const struct profile *, enum table_id);

/* Compares two rows by their keys, whatever their numbers are: below, above or equal to 0. Texts by
 * their bytes; nodes of a tree by themselves, then by their parents. */
int row_compare(const struct profile *, enum table_id, uint32_t a, uint32_t b);

/* Forgets the index, after rows were moved or changed. */
void row_index_reset(struct profile *, enum table_id);

/* --- adding up: enum column_adds says what becomes of each cell ------------------------------- */

/* Adds @row to @to, both with numbers of @p; @latest: @row is of a later window of the capture.
 * True if a sum does not fit. */
bool row_add(struct profile *p, const struct table *, char *to, const char *row, bool latest);

/* Subtracts the sums of @row, which has equal keys, from those of @from. */
void row_subtract(const struct table *, char *from, const char *row);

/* Fills the .inner columns of a row of @from, whose means hold for @ns; 0: for its duration. */
void row_adopt(const struct table *, const struct profile *from, uint64_t ns, char *row);

/* Whether row_adopt() changes rows of the table. */
bool row_adopts(const struct table *);

/* Computes means and sums of fractions of a row of @p from its .inner columns. */
void row_derive(const struct table *, const struct profile *p, char *row);

/* Clears the cells that are true of the whole only: sums and the like. */
void row_clear(const struct table *, char *row);

/* Renumbers the cells of a row that refer to rows: number[id][old]; a table without new numbers has
 * number[id] NULL. Whether the row refers to a table with new numbers. */
bool row_renumber(const struct table *, char *row, uint32_t *const number[TABLES]);

#endif
