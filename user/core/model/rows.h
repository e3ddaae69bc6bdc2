/*
 * rows: takes rows of one profile's tables into another's: each cell that refers to a text or to
 * another row gets the number that this has there, and rows with equal keys add up, all by what the
 * tables say of themselves (model/table.h). Windows, selections and merges are made of it.
 */
#ifndef MODEL_ROWS_H
#define MODEL_ROWS_H

#include "model/profile.h"

#define ROWS_LEFT_OUT UINT32_MAX

struct rows {
	const struct profile *from;
	struct profile *to;
	size_t n_texts;
	uint32_t *texts;	   /* number there, by number here; 0: not yet */
	uint32_t *number[TABLES];  /* the same of rows, + 1; ROWS_LEFT_OUT */
	const bool *takes[TABLES]; /* by row: whether it is taken; NULL: all are. Borrowed */
	/* Of these, rows that others need are taken without their sums. */
	bool cut[TABLES];
	/* Of these, none is taken. */
	bool left_out[TABLES];
	bool windows;	 /* both are of one capture, and @from is later */
	uint64_t ns;	 /* the time for which means of @from hold; 0: its duration */
	bool overflow;	 /* a sum did not fit */
	struct map seen; /* of rows with equal keys in one profile: how many so far */
	const struct rows *before;
	bool subtracts; /* rows of cumulative tables are taken off instead of added */
	/* Called with the copy of row @i of @from, which has numbers of @to already, before it is
	 * added there; may change it. NULL: nothing is changed. */
	void (*change)(struct rows *, enum table_id, uint32_t i, void *row);
	void *context;
};

/* Both are borrowed while it lasts, and @from does not change. @before, which may be NULL and must
 * last as long, took another profile into @to: profiles of one program are much alike. */
void rows_init(struct rows *, const struct profile *from, struct profile *to,
	       const struct rows *before);
void rows_release(struct rows *);

/* The number in @to; of row @i of a table ROWS_LEFT_OUT where it is left out. What it refers to is
 * taken, too. */
uint32_t rows_text(struct rows *, uint32_t text);
uint32_t rows_need(struct rows *, enum table_id, uint32_t i);

/* Takes the rows of a table; those of ROWS_NAMES only when another row needs them: nothing is done
 * here. */
void rows_take(struct rows *, enum table_id);
/* Those too; in the order of @order, which has all rows but that of none at first. */
void rows_take_all(struct rows *, enum table_id);
void rows_take_in(struct rows *, enum table_id, const uint32_t *order);

/* Adds a row, which has numbers of the profile, to the one of equal keys. True: a sum does not fit.
 */
bool rows_add(struct profile *, enum table_id, const void *row);

/* Which rows of a table others refer to; the caller's. */
bool *rows_used(const struct profile *, enum table_id);

/* Whether rows of the table hold sums, or what else is true of a whole only. */
bool rows_have_sums(const struct table *);

/* What sources have counted up since the start of the capture, @ns ago: those tables of @p. The
 * caller's. */
struct profile *rows_counts(const struct profile *p, uint64_t ns);
/* Makes of such tables of @p, whose duration is that of a window, what the window has of them:
 * @before is what had been counted at its beginning; NULL: nothing. @ns: as above. */
void rows_subtract(struct profile *p, const struct profile *before, uint64_t ns);

/* Computes what follows from other columns, in all tables that add up; @windows: but not in those
 * that are running. */
void rows_derive(struct profile *, bool windows);

#endif
