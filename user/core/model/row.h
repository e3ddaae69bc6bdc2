/*
 * row: one row of any table, by what the table says of itself (model/table.h): finds rows by their
 * keys, so that a table has each key once, and adds up two rows of equal keys. For the adders of
 * profile.h and for model/rows.h.
 */
#ifndef MODEL_ROW_H
#define MODEL_ROW_H

#include "model/profile.h"

/* Settles the row that was just pushed to the table: it stays where no other has its keys, else it
 * is gone again. The number of the one that is there. Of a table whose rows may be alike the @nth,
 * from 0, of that key. */
uint32_t row_put_nth(struct profile *, enum table_id, uint32_t nth);
static inline uint32_t row_put(struct profile *p, enum table_id id)
{
	return row_put_nth(p, id, 0);
}

/* Puts a copy of the row at the end of a table; see row_put(). */
void row_push(struct profile *, enum table_id, const void *row);

/* A hash of the table and the last row's keys. */
uint64_t row_last_key(const struct profile *, enum table_id);

/* Which of two rows comes first, by what their keys say, whatever their numbers are: below, above
 * or equal to 0. Texts by their bytes; of a tree's nodes, that which is next to the root decides
 * last. */
int row_compare(const struct profile *, enum table_id, uint32_t a, uint32_t b);

/* Forgets where the rows are: for who moved or changed some. */
void row_index_reset(struct profile *, enum table_id);

/* --- adding up: what becomes of each cell, by enum column_adds ---------------------------------
 */

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

/* Gives the cells of a row that refer to rows the numbers that those have now: number[id][old];
 * where number[id] is NULL, they have their old ones. Whether any refers to a table with new
 * numbers. */
bool row_renumber(const struct table *, char *row, uint32_t *const number[TABLES]);

#endif
