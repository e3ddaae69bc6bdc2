/*
 * rows: takes rows of one profile's tables into another's: cells that refer to texts or rows get
 * the numbers that these have there, and rows with equal keys add up, as the tables declare
 * (model/table.h). Windows, selections and merges use it.
 */
#ifndef MODEL_ROWS_H
#define MODEL_ROWS_H

#include "model/profile.h"

#define ROWS_LEFT_OUT UINT32_MAX

struct rows {
	const struct profile *from;
	struct profile *to;
	size_t n_texts;
	uint32_t *texts;	   /* number in @to by number in @from; 0: not taken yet */
	uint32_t *number[TABLES];  /* the same of rows, + 1; ROWS_LEFT_OUT */
	const bool *takes[TABLES]; /* by row: whether it is taken; NULL: all are. Borrowed */
	bool cut[TABLES];	   /* rows that others need are taken, without their sums */
	bool left_out[TABLES];	   /* no row is taken */
	const struct column *parent[TABLES]; /* table_parent() */
	bool adopts[TABLES];		     /* row_adopts() */
	bool windows;			     /* both are of one capture, and @from is later */
	uint64_t ns;	 /* the time for which means of @from hold; 0: its duration */
	bool overflow;	 /* a sum did not fit */
	struct map seen; /* keys of rows so far, of tables that may repeat them */
	const struct rows *before;
	bool subtracts; /* rows of cumulative tables are subtracted instead of added */
	/* Called with the copy of row @i of @from, already renumbered, before it is added to @to;
	 * may change it. May be NULL. */
	void (*change)(struct rows *, enum table_id, uint32_t i, void *row);
	void *context;
};

/* Both profiles are borrowed until the release, and @from must not change. @before, which may be
 * NULL and is borrowed, too, took a profile into @to: the next one of a program is much the same.
 */
void rows_init(struct rows *, const struct profile *from, struct profile *to,
	       const struct rows *before);
void rows_release(struct rows *);

/* Takes the text, or row @i of a table with what it refers to. Its number in @to, or ROWS_LEFT_OUT.
 */
uint32_t rows_text(struct rows *, uint32_t text);
uint32_t rows_need(struct rows *, enum table_id, uint32_t i);

/* Takes the rows of a table; nothing for ROWS_NAMES, whose rows are taken when others need them. */
void rows_take(struct rows *, enum table_id);
/* Takes all rows of any table; in the @order of their numbers, the row of none first; NULL: as they
 * are. */
void rows_take_in(struct rows *, enum table_id, const uint32_t *order);

/* Adds a row, which has numbers of the profile, to the one with equal keys. True: a sum does not
 * fit. */
bool rows_add(struct profile *, enum table_id, const void *row);

/* Which rows of a table are referred to; freed by the caller. */
bool *rows_used(const struct profile *, enum table_id);

/* Whether rows of the table hold sums, or anything else that is true of a whole only. */
bool rows_have_sums(const struct table *);

/* A profile, the caller's, of the cumulative tables of @p: what sources have counted since the
 * start of the capture, @ns ago. */
struct profile *rows_counts(const struct profile *p, uint64_t ns);
/* Makes the cumulative tables of @p, whose duration is a window's, those of the window: @before had
 * been counted when it began; NULL: nothing. @ns: as above. */
void rows_subtract(struct profile *p, const struct profile *before, uint64_t ns);

/* Computes the derived columns of all tables that add up; @windows: not of running tables. */
void rows_derive(struct profile *, bool windows);

#endif
