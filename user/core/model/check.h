/*
 * check: what the parts of profile_check() share. For model/check.c and the checks of tables.
 */
#ifndef MODEL_CHECK_H
#define MODEL_CHECK_H

#include "model/profile.h"

/* A table under check: what the texts call it, and its row at hand. */
struct spot {
	const char *table;
	size_t row;
};

/* A value that must be below a bound. */
struct bounded {
	const char *what;
	uint64_t value, below;
};

/* 0 when each of the @n values is in order, else -EINVAL with a text. */
int check_row(struct spot, const struct bounded *, size_t n);
#define CHECK_ROW(table, row, ...)                                                  \
	check_row((struct spot){table, row}, (const struct bounded[]){__VA_ARGS__}, \
		  sizeof((const struct bounded[]){__VA_ARGS__}) / sizeof(struct bounded))

/* What @value adds to a sum of magnitudes: no partial sum of values is larger than that sum. */
static inline uint64_t check_magnitude(int64_t value)
{
	return value < 0 ? -(uint64_t)value : (uint64_t)value;
}

/* Adds to a sum that must fit int64_t; -EINVAL with a text where it does not. */
int check_add(struct spot, const char *what, uint64_t magnitude, int64_t *sum);

#endif
