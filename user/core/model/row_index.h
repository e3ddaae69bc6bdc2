/*
 * row_index: finds rows of any table by their keys (model/table.h), so that a table has each key
 * once. For the adders of profile.h and for model/rows.h.
 */
#ifndef MODEL_ROW_INDEX_H
#define MODEL_ROW_INDEX_H

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

#endif
