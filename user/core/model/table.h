/*
 * table: declares the columns of a profile's table, what their cells refer to, and how rows add up.
 * The file, checks, exports, selections, windows and merges follow from this (model/rows.h). To add
 * a table: a header with the struct of a row, a file that exports one `const struct table x_table`,
 * and a row in tables.def.
 */
#ifndef MODEL_TABLE_H
#define MODEL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct profile;

/* What a profile is of. The code that fills a part calls profile_add_part(), and no code infers it
 * from anything else. The file has their names. */
enum profile_part {
	PART_ANY, /* no part: what every profile has */
	PART_SAMPLES,
	PART_ZONES,  /* calls that were counted and timed, though there may have been none */
	PART_OFFCPU, /* waits of threads off the CPU, and why they waited */
	PART_SOURCE, /* texts of source lines */
	PART_SYSCALLS,
	PART_HEAP,   /* samples have the metrics HEAP_METRIC_… */
	PART_GROWTH, /* samples have the metrics growth and faults */
	PART_EVENTS, /* the timeline: model/timed_event.h */
	PARTS
};

/* As in the file: "samples"; NULL for PART_ANY. */
const char *part_name(enum profile_part);

/* The part whose name is the @n bytes at @name; PART_ANY if it is unknown. */
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

/* The type of a column in memory. A text is the number of a string; I128 an exact_sum
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

/* How numbers are coded in the file so that they deflate better. All differences wrap around. */
enum coding {
	CODING_PLAIN,
	CODING_DELTA, /* difference to the row before; the first row as it is */
	CODING_BACK,  /* row number less value: how many rows back the parent is */
};

/* How cells of rows with equal keys are combined. The result depends neither on the order of the
 * rows nor on their grouping. */
enum column_adds {
	ADDS_KEEP,     /* numbers that differ: 0. Texts and rows: the first in order, "" last */
	ADDS_SAME,     /* the value, if all that are not 0 have it; else .differs, .differs_text */
	ADDS_LATEST,   /* over windows the last one's; over captures as ADDS_KEEP */
	ADDS_SUM,      /* of F64 with the exact sum in .by */
	ADDS_STANDING, /* over windows the last one's; over captures the sum */
	ADDS_MIN,
	ADDS_MAX,     /* of a flag: whether any has it */
	ADDS_MEAN,    /* over time: F64, with the sum of value × ns in .by */
	ADDS_AT_MAX,  /* the cell of the row in which .by is greatest; of several the first */
	ADDS_AT_MIN,  /* or least */
	ADDS_DERIVED, /* the table's derive() computes it from the others */
	ADDS_OWN,     /* the table's combine() does it */
};

struct column {
	const char *name;
	size_t offset; /* in the row in memory */
	uint8_t type;  /* enum column_type */
	uint8_t coding;
	uint8_t refers; /* enum table_id: a cell is the number of a row there; if that is the own
			 * table, of an earlier row: the parent */
	uint8_t adds;	/* enum column_adds */
	uint8_t key;	/* 1, 2 …: rows with equal keys are one; merges sort by them; 0: no key */
	bool later;	/* newer than its table: an older file may lack it; then it is 0 */
	bool time;	/* ns since the start of the capture */
	bool wide;	/* in the file of 64 bits, signed */
	bool any;	/* of I64: any value; nothing is computed from it */
	bool inner;	/* only for adding up: exports leave it out */
	bool spelled;	/* of TEXT: the file has the texts themselves, too, in a dataset
			 * "table.column" for other programs; readers of eprof ignore it */
	bool secret;	/* may hold passwords: exports have it on request only */
	bool nested; /* of ADDS_SUM: cells include other rows' cells, so nobody adds them up within
		      * one profile */
	uint8_t differs;
	const char *differs_text;
	uint32_t beside; /* cells from here on refer to no row; 0: all do */
	uint64_t below;	 /* a cell must be smaller; 0: no bound */
	size_t by;	 /* another column's offset: see enum column_adds */
};

/* A column for the field of that name in the row's struct; the other fields of struct column follow
 * the type: TABLE_COLUMN(node, frame, U32, .coding = CODING_DELTA). */
#define TABLE_COLUMN(row, field, kind, ...)                                                   \
	{                                                                                     \
		.name = #field, .offset = offsetof(struct row, field), .type = COLUMN_##kind, \
		__VA_ARGS__                                                                   \
	}

/* What the rows of a table are, and what windows, selections and merges do with them. */
enum table_rows {
	ROWS_SUMS,   /* rows with equal keys add up; a selection by time or thread has none */
	ROWS_NAMES,  /* other rows refer to them; each once, unused ones are dropped */
	ROWS_LISTED, /* the same, but unused ones stay */
	ROWS_EVENTS, /* never combined; each has a time */
	ROWS_SPANS,  /* never combined; each has two times */
	ROWS_STATE,  /* of the profile as a whole: a selection or a merge has none */
	ROWS_ORIGINS /* of the captures of a merge, which makes them */
};

struct table {
	const char *name;  /* of the dataset */
	const char *words; /* for people: "run queues"; NULL: the name */
	size_t row_bytes;  /* of one row in memory */
	const struct column *columns;
	size_t n_columns;
	enum table_rows rows;
	/* Written if the profile has that part; PART_ANY: every profile has the table. */
	enum profile_part part;
	/* Newer than others of its part: an older file may lack it. */
	bool later;
	/* Row 0 means "none": its keys are 0 (or no rows, see .beside). A reference to a row that
	 * was left out becomes one to it; without such a row, the row that refers is left out. */
	bool none;
	/* Several rows of one profile may have equal keys; the first of them is one with another
	 * profile's first, and so on. */
	bool alike;
	/* Each row has a value of every metric, too: struct samples. */
	bool valued;
	/* In windows of schema 5 or older the table is of the whole capture up to then, and
	 * replaces that of earlier windows. */
	bool running;
	/* Sources count from the start of the capture on; a window has the difference:
	 * rows_subtract(). */
	bool cumulative;
	/* Computes missing inner columns: of a row of an older file, or that was just measured.
	 * @ns: the part of its time that is taken; 0: all. May be NULL, as the next five. */
	void (*adopt)(const struct profile *from, uint64_t ns, void *row);
	/* Adds @row to @to, of equal keys, in columns of ADDS_OWN, before other columns. */
	void (*combine)(void *to, const void *row);
	void (*subtract)(void *from, const void *row);
	/* Computes the columns of ADDS_DERIVED of all rows. */
	void (*derive)(struct profile *);
	/* Whether a row with sums holds for a part of the time, too. NULL: no row does. */
	bool (*lasts)(const struct profile *, const void *row);
	/* Checks what the columns do not declare: -EINVAL with a text that names table and row. */
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

/* All tables, in the order in which they are written and checked: a table comes after those that it
 * refers to. Table number i is at i - 1; the last has no table. */
extern const struct table_place profile_tables[];

static inline const struct table_place *table_of(enum table_id id)
{
	return &profile_tables[id - 1];
}

static inline enum table_id table_id_of(const struct table_place *t)
{
	return (enum table_id)(t - profile_tables + 1);
}

/* The column that refers to earlier rows of the same table; NULL if there is none. */
const struct column *table_parent(const struct table_place *);
/* The key column of that place, from 1; NULL if there are fewer. */
const struct column *table_key(const struct table *, int place);

static inline struct any_vec *table_vec(const struct table_place *t, const struct profile *p)
{
	return (struct any_vec *)((char *)p + t->vec);
}

#endif
