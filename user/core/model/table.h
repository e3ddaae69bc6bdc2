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

struct profile;

/* What a profile is of. A part is there or is not by itself: whoever fills it says so with
 * profile_add_part(), and nobody infers it from what else is there. The file keeps their names. */
enum profile_part {
	PART_ANY, /* no part of its own: what every profile has */
	PART_SAMPLES,
	PART_ZONES,  /* calls that were counted and timed, though there may have been none */
	PART_OFFCPU, /* waits of threads off the CPU, and why they waited */
	PART_SOURCE, /* texts of source lines */
	PARTS
};

/* As in the file: "samples". NULL of PART_ANY. */
const char *part_name(enum profile_part);

/* The part whose name is the @n bytes at @name; PART_ANY where it is not known. */
enum profile_part part_find(const char *name, size_t n);

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

/* How a column stands in the row in memory. A text is the number of a string; I128 an exact_sum
 * (model/exact.h). */
enum column_type {
	COLUMN_U8,
	COLUMN_U32,
	COLUMN_U64,
	COLUMN_I64,
	COLUMN_F64,
	COLUMN_TEXT,
	COLUMN_I128
};

/* How numbers are written so that they deflate better. All differences wrap around. */
enum coding {
	CODING_PLAIN,
	CODING_DELTA, /* difference to the row before; the first row as it is */
	CODING_BACK,  /* row number less value: how many rows above the parent stands */
};

/* What becomes of a column's cells when rows with equal keys become one. None depends on the order
 * in which they come, or on which of them became one before. */
enum column_adds {
	ADDS_KEEP,     /* numbers that differ: 0. Texts and rows: the first in order, "" last */
	ADDS_SAME,     /* of those that are not 0 what all say; else .differs, .differs_text */
	ADDS_LATEST,   /* over windows the last one's; over captures as ADDS_KEEP */
	ADDS_SUM,      /* of F64 with the exact sum in .by */
	ADDS_STANDING, /* over windows the last one's; over captures the sum */
	ADDS_MIN,
	ADDS_MAX,     /* flags, too: is it so of any? */
	ADDS_MEAN,    /* over time: F64, with the sum of value × ns in .by */
	ADDS_AT_MAX,  /* that of the row in which .by is greatest; of equal ones the first in order
		       */
	ADDS_AT_MIN,  /* or least */
	ADDS_DERIVED, /* the table's derive() computes it from the others */
	ADDS_OWN,     /* the table's combine() does it */
};

struct column {
	const char *name;
	size_t offset; /* in the row in memory */
	uint8_t type;  /* enum column_type */
	uint8_t coding;
	uint8_t refers; /* enum table_id: a cell is the number of a row there, of an earlier row
			 * here where that is the own table: its parent */
	uint8_t adds;	/* enum column_adds */
	uint8_t key; /* 1, 2 …: rows with equal keys are one, and stand in their order; 0: no key */
	bool later;  /* it came later than its table: a file may lack it; 0 in each row then */
	bool time;   /* ns since the start of the capture */
	bool inner;  /* for adding up alone: exports leave it out */
	bool nested; /* of ADDS_SUM: rows hold each other's, so nobody adds them up in one profile
		      */
	uint8_t differs;
	const char *differs_text;
	uint32_t beside; /* cells from here on are no rows of .refers; 0: all are */
	uint64_t below;	 /* a cell must be smaller; 0: it need not */
	size_t by;	 /* another column's offset: see enum column_adds */
};

/* A column that is the field of that name in the row's struct; behind the type, what else is to be
 * said of it: TABLE_COLUMN(node, frame, U32, .coding = CODING_DELTA). */
#define TABLE_COLUMN(row, field, kind, ...)                                                   \
	{                                                                                     \
		.name = #field, .offset = offsetof(struct row, field), .type = COLUMN_##kind, \
		__VA_ARGS__                                                                   \
	}

/* What the rows of a table are, and what becomes of them over windows, selections and merges. */
enum table_rows {
	ROWS_SUMS,   /* those with equal keys add up; what is cut by time or thread has none */
	ROWS_NAMES,  /* what others refer to, each once; those that nobody refers to are dropped */
	ROWS_LISTED, /* the same, but all stay */
	ROWS_EVENTS, /* each stands for itself, at a time */
	ROWS_SPANS,  /* each stands for itself: two times */
	ROWS_STATE,  /* of the profile as a whole: a selection or a merge has none */
	ROWS_ORIGINS /* of the captures that were merged: a merge makes them */
};

struct table {
	const char *name;  /* of the dataset */
	const char *words; /* for people: "run queues"; NULL: the name */
	size_t row_bytes;  /* of one row in memory */
	const struct column *columns;
	size_t n_columns;
	enum table_rows rows;
	/* Written where the profile has that part; a file may lack it. PART_ANY: every profile has
	 * the table. */
	enum profile_part part;
	/* It came later than others of its part: a file may lack it. */
	bool later;
	/* Row 0 means "none": its keys are 0 (or no rows, see .beside). A reference to a row that
	 * was left out becomes one to it; where there is none, the row that refers is left out. */
	bool none;
	/* Several rows of one profile may have equal keys; the first is that of another profile's
	 * first, and so on. */
	bool alike;
	/* Each row has a value of every metric, too: struct samples. */
	bool valued;
	/* In a window of a file of schema 5 or before it is of the whole capture up to then, and
	 * takes the place of what the windows before it had. */
	bool running;
	/* Sources count it up from the start of the capture on; what a window has of it is the
	 * difference: rows_subtract(). */
	bool cumulative;
	/* Fills what is for adding up alone (column.inner), where it is not there: of a row of an
	 * older file, or that was just measured. @ns: the part of its time that is taken; 0: all.
	 * NULL: there is nothing to do. */
	void (*adopt)(const struct profile *from, uint64_t ns, void *row);
	/* Adds @row to @to, of equal keys, in the columns of ADDS_OWN; before all others are added.
	 */
	void (*combine)(void *to, const void *row);
	/* The opposite. */
	void (*subtract)(void *from, const void *row);
	/* Computes the columns of ADDS_DERIVED of all rows. */
	void (*derive)(struct profile *);
	/* Whether a row is true of a part of the time, too; rows of a table that has no such are
	 * not, if they have sums. */
	bool (*lasts)(const struct profile *, const void *row);
	/* What could lead a reader astray, but for what the columns say themselves, which is
	 * checked for all tables: -EINVAL with a text that names table and row. NULL: any row is in
	 * order. */
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

static inline const struct table_place *table_of(enum table_id id)
{
	return &profile_tables[id - 1];
}

static inline enum table_id table_id_of(const struct table_place *t)
{
	return (enum table_id)(t - profile_tables + 1);
}

/* The column by which rows refer to earlier ones of the same table; NULL: there is none. */
const struct column *table_parent(const struct table_place *);
/* The key of that place, from 1; NULL: there are fewer. */
const struct column *table_key(const struct table *, int place);

static inline struct any_vec *table_vec(const struct table_place *t, const struct profile *p)
{
	return (struct any_vec *)((char *)p + t->vec);
}

#endif
