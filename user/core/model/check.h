/*
 * check: helpers of profile_check() and of the tables' checks; and finds what in a profile
 * contradicts itself.
 */
#ifndef MODEL_CHECK_H
#define MODEL_CHECK_H

#include "model/profile.h"

/* The table and row that are checked, as texts name them. */
struct spot {
	const char *table;
	size_t row;
};

/* A value that must be below a bound. */
struct bounded {
	const char *what;
	uint64_t value, below;
};

/* 0, or -EINVAL with a text if one of the @n values is not below its bound. */
int check_row(struct spot, const struct bounded *, size_t n);
#define CHECK_ROW(table, row, ...)                                                  \
	check_row((struct spot){table, row}, (const struct bounded[]){__VA_ARGS__}, \
		  sizeof((const struct bounded[]){__VA_ARGS__}) / sizeof(struct bounded))

/* If a sum of magnitudes fits, so does every sum of some of the values. */
static inline uint64_t check_magnitude(int64_t value)
{
	return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

/* Adds to a sum; -EINVAL with a text if that does not fit int64_t. */
int check_add(struct spot, const char *what, uint64_t magnitude, int64_t *sum);

/* Checks rows as profile_check() does those of a table, that are not there but in @v: they are its
 * rows from number @first on. Sums are those of these rows alone. */
int check_rows(const struct profile *, const struct table_place *, const struct any_vec *v,
	       size_t first);

/*
 * Lists what in a profile contradicts itself: "ledger of cpu-clock: 10 taken, but 11 kept + 0 lost;
 * zones, row 3: …; and 4 more". Freed by the caller; NULL if nothing does. profile_check() must
 * have passed: it refuses what could harm the program (an index out of its table, a parent behind
 * its child, columns of unequal length, numbers that are not finite, sums that overflow). Other
 * errors only mislead readers, so they are told: in the file of a capture that was killed, or of
 * another writer.
 */
char *contradictions_text(const struct profile *);

#endif
