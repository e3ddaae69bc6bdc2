/*
 * doc: a report before it has a format. Views (view/) write it, formats (format/) read it; the
 * two do not know each other. A document is a list of blocks in reading order.
 */
#ifndef RENDER_DOC_H
#define RENDER_DOC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "query/frame_class.h"
#include "query/tree.h"
#include "timeline/call_chart.h"

enum block_kind {
	BLOCK_HEADING, /* text */
	BLOCK_TEXT,    /* text: a paragraph */
	BLOCK_FACTS,   /* facts: label and value, one a line */
	BLOCK_TABLE,   /* table */
	BLOCK_FLAME,   /* flame: a flame graph of a tree */
	BLOCK_PATHS,   /* paths: hottest stacks, each with its share and its frames */
	BLOCK_TREE,    /* flame: the call tree, a function a line */
	BLOCK_HEAT,    /* heat: samples over time */
	BLOCK_CHART,   /* chart: calls over time, in lanes */
};

enum cell_kind {
	CELL_TEXT,    /* left-aligned text; the column that gives way when room is short */
	CELL_NUMBER,  /* right-aligned; value sorts, text is shown */
	CELL_PERCENT, /* right-aligned; value is 0 … 100 */
	CELL_BAR,     /* value is 0 … 100, drawn as a bar */
	CELL_SPARK, /* a small curve: text is one of the signs ▁ … █ a step, a space for nothing,
		     * which formats may draw instead; value sorts */
};

/* Drawn for the eye, from numbers that other columns have: machines get no such column. */
static inline bool cell_is_drawn(enum cell_kind kind)
{
	return kind == CELL_BAR || kind == CELL_SPARK;
}

/* Where a document is read. */
enum doc_medium {
	DOC_PAGE,     /* html */
	DOC_PAPER,    /* pdf */
	DOC_TERMINAL, /* txt */
	DOC_TABLE,    /* csv */
	DOC_PICTURE,  /* svg, png */
	DOC_MEDIA
};

struct doc_column {
	const char *title; /* static, or kept as long as the document, as are the others */
	const char *key;   /* what machines call it: "self_percent"; NULL where it is drawn */
	enum cell_kind kind;
	const char *help; /* one sentence for a tooltip and the legend; may be NULL */
};
#define DOC_BAR_COLUMN                   \
	{                                \
		"", NULL, CELL_BAR, NULL \
	}

struct doc_cell {
	char *text;   /* owned; NULL for bars */
	char *raw;    /* owned: as machines read it, where value is not exact enough; or NULL */
	double value; /* for sorting, bars and machine formats (csv) */
	uint8_t code; /* enum frame_class of a function name, so that formats can colour it */
	bool is_code; /* a function's name: formats set it in monospace */
};

#define DOC_SPARE_MOST 32
#define DOC_SUMS_MOST  2

/* A table that is drawn as bars where there is a surface to draw on: which columns are what. The
 * values of all but the label are of one unit. */
struct doc_chart {
	bool on;
	uint8_t label, value, low, high, text; /* columns; text is what stands behind a bar */
	uint8_t base;			       /* of a baseline; 0: none. Its cells may be NAN */
	const char *unit;		       /* see units_value(); static or kept */
};

struct doc_table;
/* Rows behind those of a table's cells, which are too many to hold: only csv has them. */
struct doc_rows {
	/* Adds the cells of the next rows; false: there are none. NULL: no such rows. */
	bool (*fill)(void *of, struct doc_table *);
	/* Behind the last row: 0, or why there are no more, as a negative errno with a text. NULL:
	 * there is no reason to fail. */
	int (*end)(void *of);
	void (*release)(void *of);
	void *of;
	size_t most; /* rows that are wanted, at most; 0: all */
};

struct doc_table {
	struct doc_chart chart;
	VEC(struct doc_column) columns;
	VEC(struct doc_cell) cells; /* row by row */
	size_t extra_from; /* columns from this one on are for formats that have the room: html
			    * behind a button, csv; 0: none */
	uint8_t spare[DOC_SPARE_MOST]; /* columns that go where a terminal is narrow, in this order
					*/
	size_t n_spare;
	size_t terminal_rows; /* how many a terminal shows; 0: all */
	size_t printed_rows;  /* how many a printed report shows; 0: terminal_rows */
	const char *file; /* kept: the source file that numbers in its column "line" are of, or NULL
			   */
	const char *more; /* static: the noun under a cut table: "functions" makes
			   * "… 812 more functions"; or NULL */
	/* Columns whose sum of the rows that are cut is said there; see doc_sum(). */
	struct doc_sum {
		uint8_t column;
		const char *unit, *noun;
	} sums[DOC_SUMS_MOST];
	size_t n_sums;
	struct doc_rows rest;
};

struct doc_fact {
	char *label, *value; /* owned */
	bool warn;	     /* to be seen: a loss, a contradiction */
};

struct doc_path {
	char *share; /* owned: "12.3 %" */
	double percent;
	VEC(uint32_t) nodes; /* of the block's tree, root first; long stacks whole */
};

/* Samples by when they were taken: column by column of so much time each, from the bottom up. */
struct doc_heat {
	uint32_t columns, rows;
	int64_t from_ns, column_ns, row_ns; /* column_ns is rows times row_ns */
	int64_t end_ns;	      /* of the capture, within the last column or at its end */
	uint64_t most;	      /* in one cell */
	VEC(uint64_t) counts; /* [column * rows + row] */
};

struct doc_block {
	enum block_kind kind;
	char *text; /* owned: heading, paragraph, caption of a table or flame */
	struct doc_table table;
	VEC(struct doc_fact) facts;
	VEC(struct doc_path) paths;
	struct doc_heat heat;
	struct call_chart chart;
	const struct tree *tree; /* borrowed: flame, paths, tree */
	const char *part;	 /* see struct doc */
	bool front;		 /* see struct doc */
};

struct doc {
	char *title, *subtitle;	       /* owned: of the whole report */
	const struct profile *profile; /* borrowed */
	VEC(struct doc_block) blocks;
	/* Borrowed: what the blocks that are added now are of, where a report says the same of
	 * several things: a metric's name. A page shows one at a time; headings have it behind
	 * them. NULL: of the whole. */
	const char *part;
	/* What is added now is of the overview: a page shows facts as cards, whose values are large
	 * up to the first " · ". */
	bool front;
};

void doc_init(struct doc *, const struct profile *, const char *title, const char *subtitle);
void doc_release(struct doc *);

/* Each adds a block and returns what there is to fill, valid until the next block. */
void doc_heading(struct doc *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void doc_text(struct doc *, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
struct doc_block *doc_facts(struct doc *);
/* Takes the last block back if it has no facts. */
void doc_drop_empty(struct doc *);
void doc_fact(struct doc_block *, bool warn, const char *label, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
struct doc_table *doc_table(struct doc *, const char *caption, const struct doc_column *columns,
			    size_t n_columns);
#define doc_table_of(doc, caption, columns) \
	doc_table(doc, caption, columns, sizeof(columns) / sizeof(*(columns)))
/* More columns, before there are cells. */
void doc_add_columns(struct doc_table *, const struct doc_column *columns, size_t n);
/* "… 12 more threads", "… 2 more rows: 3 calls, 1.20 ms": what is said of the last @left rows,
 * which do not show. Freed by the caller. */
char *doc_more(const struct doc_table *, size_t left);
/* How many rows of it show: see terminal_rows, printed_rows and more. */
void doc_limit(struct doc_table *, size_t terminal, size_t printed, const char *more);
/* The sum of column @i, with @unit (see units_value()) and @noun behind it, both static, is said of
 * the rows that do not show. */
void doc_sum(struct doc_table *, size_t i, const char *unit, const char *noun);
/* Takes all cells out. */
void doc_clear(struct doc_table *);
/* Column @i goes next where room is short. */
void doc_spare(struct doc_table *, size_t i);
/* Cells are added left to right, row by row. */
void doc_cell(struct doc_table *, double value, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void doc_cell_code(struct doc_table *, enum frame_class, const char *name); /* is_code */
/* Gives the last cell its raw text. */
void doc_raw(struct doc_table *, const char *raw);
void doc_bar(struct doc_table *, double percent);
/* A CELL_SPARK of @n values, none below 0; the largest is the highest. */
void doc_spark(struct doc_table *, const double *values, size_t n);
void doc_flame(struct doc *, const char *caption, const struct tree *);
void doc_tree(struct doc *, const char *caption, const struct tree *);
/* Its counts are all 0. */
struct doc_heat *doc_heat(struct doc *, const char *caption, uint32_t columns, uint32_t rows);
/* A zeroed chart to fill. */
struct call_chart *doc_chart(struct doc *);
struct doc_block *doc_paths(struct doc *, const char *caption, const struct tree *);

/* Sorts the rows of tables of things (doc_limit()) by a column as --sort names it, heaviest first
 * and names from A on, "-" before it turned round; equal rows keep their order. Whether any has it.
 */
bool doc_sort(struct doc *, const char *column);
/* Takes the rows behind the first @rows out of those tables. */
void doc_top(struct doc *, size_t rows);

/* Puts all texts but raw ones into ASCII (base/ascii.h), so that their widths are known when they
 * are laid out. */
void doc_to_ascii(struct doc *);

static inline size_t doc_table_rows(const struct doc_table *t)
{
	return t->columns.n ? t->cells.n / t->columns.n : 0;
}

#endif
