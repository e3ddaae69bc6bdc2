/*
 * table: what the rows of one table of a profile look like, what their cells refer to, and how rows
 * add up. The file, the checks, the exports, selections, windows and merges all go by this
 * description (model/rows.h). To add a table: a header with the struct of a row, a file that
 * exports one `const struct table x_table`, and a row in tables.def.
 */
#ifndef MODEL_TABLE_H
#define MODEL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/part.h"

struct profile;

/* The number of each table; 0 is none. */
enum table_id {
	TABLE_NONE,
#define TABLE(name, row)  TABLE_##name,
#define VALUED(name, row) TABLE_##name,
#include "model/tables.def"
#undef TABLE
#undef VALUED
	TABLES
};

/* How a column stands in the row in memory. A text is the number of a string. */
enum column_type { COLUMN_U8, COLUMN_U32, COLUMN_U64, COLUMN_I64, COLUMN_F64, COLUMN_TEXT };

/* How numbers are written so that they deflate better. All differences wrap around. */
enum coding {
	CODING_PLAIN,
	CODING_DELTA, /* difference to the row before; the first row as it is */
	CODING_BACK,  /* row number less value: how many rows above the parent stands */
};

struct column {
	const char *name;
	size_t offset; /* in the row in memory */
	uint8_t type;  /* enum column_type */
	uint8_t coding;
	bool later; /* it came later than its table: a file may lack it; 0 in each row then */
};

/* A column that is the field of that name in the row's struct; behind the type, what else is to be
 * said of it: TABLE_COLUMN(node, frame, U32, .coding = CODING_DELTA). */
#define TABLE_COLUMN(row, field, kind, ...)                                           \
	{                                                                             \
		.name = #field, .offset = offsetof(struct row, field), /* and more */ \
			.type = COLUMN_##kind, __VA_ARGS__                            \
	}

struct table {
	const char *name; /* of the dataset */
	size_t row_bytes; /* of one row in memory */
	const struct column *columns;
	size_t n_columns;
	/* Written where the profile has that part; a file may lack it. PART_ANY: every profile has
	 * the table. */
	enum profile_part part;
	/* It came later than others of its part: a file may lack it. */
	bool later;
	/* It is of the profile as a whole, and true of no part of it and of no sum of several: a
	 * selection or a merge has none. */
	bool of_whole;
	/* Each row has a value of every metric, too: struct samples. */
	bool valued;
	/* What could lead a reader astray, but for the numbers of texts, which are checked for all
	 * tables: -EINVAL with a text that names table and row. NULL: any row is in order. */
	int (*check)(const struct profile *);
};

/* For the definition: the columns in an array, the row's struct. */
#define TABLE_OF(row, its_columns)                                 \
	.row_bytes = sizeof(struct row), .columns = (its_columns), \
	.n_columns = sizeof(its_columns) / sizeof(*(its_columns))

/* The vec behind each table, seen without its type. */
struct any_vec {
	char *at;
	size_t n, cap;
};

/* A table and where struct profile has its vec. */
struct table_place {
	const struct table *table;
	size_t vec;
};

/* In the order in which they are written and checked: what a row refers to comes first. The end has
 * no table; the table of number i is at i - 1. */
extern const struct table_place profile_tables[];

static inline struct any_vec *table_vec(const struct table_place *t, const struct profile *p)
{
	return (struct any_vec *)((char *)p + t->vec);
}

#endif
