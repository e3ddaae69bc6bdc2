/*
 * cell: reads and writes one cell of a row of any table, by its column (model/table.h), for code
 * that treats all tables alike. @row is where the row begins in memory.
 */
#ifndef MODEL_CELL_H
#define MODEL_CELL_H

#include <string.h>

#include "model/exact.h"
#include "model/table.h"

/* cell_f64(c, row), cell_set_f64(c, row, value). */
#define CELL_AS(name, value)                                                           \
	static inline value cell_##name(const struct column *c, const char *row)       \
	{                                                                              \
		value v;                                                               \
		memcpy(&v, row + c->offset, sizeof(v));                                \
		return v;                                                              \
	}                                                                              \
	static inline void cell_set_##name(const struct column *c, char *row, value v) \
	{                                                                              \
		memcpy(row + c->offset, &v, sizeof(v));                                \
	}

CELL_AS(u32, uint32_t) /* texts and rows of other tables, too */
CELL_AS(i64, int64_t)
CELL_AS(f64, double)
CELL_AS(exact, exact_sum)

/* A whole number of at most 64 bits; a negative one in two's complement. */
static inline uint64_t cell_u64(const struct column *c, const char *row)
{
	if (c->type == COLUMN_U8)
		return *(const uint8_t *)(row + c->offset);
	if (c->type == COLUMN_U32 || c->type == COLUMN_TEXT)
		return cell_u32(c, row);
	return (uint64_t)cell_i64(c, row);
}

static inline void cell_set_u64(const struct column *c, char *row, uint64_t v)
{
	if (c->type == COLUMN_U8)
		*(uint8_t *)(row + c->offset) = (uint8_t)v;
	else if (c->type == COLUMN_U32 || c->type == COLUMN_TEXT)
		cell_set_u32(c, row, (uint32_t)v);
	else
		cell_set_i64(c, row, (int64_t)v);
}

/* Whether a cell of a column that refers to rows stands for something else: see .beside. */
static inline bool is_beside(const struct column *c, uint32_t cell)
{
	return c->beside && cell >= c->beside;
}

/* Bytes of a cell in memory. */
size_t column_bytes(const struct column *);

#endif
