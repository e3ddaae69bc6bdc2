/*
 * schema: which tables a run has in the file and which columns these have: one description that
 * both save and load go by. Used by store only.
 *
 * A table of rows is one dataset of a compound type; the samples are a group with one dataset a
 * column. Rows refer to rows of other tables by number and to texts by the number of the string.
 */
#ifndef STORE_SCHEMA_H
#define STORE_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/profile.h"

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
	uint8_t optional; /* a file may lack it: 0 in each row then */
};

/* The vec behind each table of rows, seen without its type. */
struct any_vec {
	char *at;
	size_t n, cap;
};

struct table {
	const char *name;
	size_t vec;	  /* offset of the vec in struct profile */
	size_t row_bytes; /* of one row in memory */
	const struct column *columns;
	size_t n_columns;
	bool of_zones; /* a file may lack it; not written for a profile without zones */
};

/* In the order in which they are written; the end has no name. */
extern const struct table schema_tables[];

/* The columns of the samples; the optional one is not written for a profile without zones. The
 * offset is that of the vec in struct samples. The values of metric i are in dataset "value_<i>".
 * The end has no name. */
extern const struct column schema_samples[];
extern const struct column schema_values;

/* Attributes of a run that hold the profile's own numbers; no text of a run may have their name. */
#define SCHEMA_STARTED	  "started" /* RFC 3339, for people */
#define SCHEMA_STARTED_NS "started_unix_ns"
#define SCHEMA_DURATION	  "duration_ns"
#define SCHEMA_HZ	  "hz"

/* For the root's attribute "about": what a person with h5py needs to know. */
extern const char schema_about[];

static inline struct any_vec *schema_vec(const struct table *t, const struct profile *p)
{
	return (struct any_vec *)((char *)p + t->vec);
}

size_t column_bytes(const struct column *);

/* Codes or decodes column @c of @n rows, @stride bytes apart, in place; @first is the column's
 * place in the first row. */
void column_encode(const struct column *c, char *first, size_t n, size_t stride);
void column_decode(const struct column *c, char *first, size_t n, size_t stride);

/* What the attribute "encoding" says of @n columns, "" when all are plain. Freed by the caller. */
char *columns_encoding(const struct column *columns, size_t n);

#endif
