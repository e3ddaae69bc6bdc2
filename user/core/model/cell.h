/*
 * cell: one cell of a row of any table, by its column (model/table.h). For the files that treat all
 * tables alike. @row is where the row begins in memory.
 */
#ifndef MODEL_CELL_H
#define MODEL_CELL_H

#include <string.h>

#include "model/exact.h"
#include "model/table.h"

/* Texts and rows of other tables. */
static inline uint32_t cell_u32(const struct column *c, const char *row)
{
	uint32_t v;

	memcpy(&v, row + c->offset, sizeof(v));
	return v;
}

static inline void cell_set_u32(const struct column *c, char *row, uint32_t v)
{
	memcpy(row + c->offset, &v, sizeof(v));
}

static inline double cell_f64(const struct column *c, const char *row)
{
	double v;

	memcpy(&v, row + c->offset, sizeof(v));
	return v;
}

static inline void cell_set_f64(const struct column *c, char *row, double v)
{
	memcpy(row + c->offset, &v, sizeof(v));
}

static inline exact_sum cell_exact(const struct column *c, const char *row)
{
	exact_sum v;

	memcpy(&v, row + c->offset, sizeof(v));
	return v;
}

static inline void cell_set_exact(const struct column *c, char *row, exact_sum v)
{
	memcpy(row + c->offset, &v, sizeof(v));
}

/* A whole number of at most 64 bits; of a negative one its two's complement. */
static inline uint64_t cell_u64(const struct column *c, const char *row)
{
	uint64_t wide;

	if (c->type == COLUMN_U8)
		return *(const uint8_t *)(row + c->offset);
	if (c->type == COLUMN_U32 || c->type == COLUMN_TEXT)
		return cell_u32(c, row);
	memcpy(&wide, row + c->offset, sizeof(wide));
	return wide;
}

static inline void cell_set_u64(const struct column *c, char *row, uint64_t v)
{
	if (c->type == COLUMN_U8)
		*(uint8_t *)(row + c->offset) = (uint8_t)v;
	else if (c->type == COLUMN_U32 || c->type == COLUMN_TEXT)
		cell_set_u32(c, row, (uint32_t)v);
	else
		memcpy(row + c->offset, &v, sizeof(v));
}

/* Whether such a cell of a column that refers to rows is none of them. */
static inline bool is_beside(const struct column *c, uint32_t cell)
{
	return c->beside && cell >= c->beside;
}

/* Bytes of a cell in memory. */
size_t column_bytes(const struct column *);

#endif
