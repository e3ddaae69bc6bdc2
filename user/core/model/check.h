/*
 * check: what profile_check() and the checks of tables share, and what in a profile contradicts
 * itself.
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

/*
 * What in a profile contradicts itself, in words: "ledger of cpu-clock: 10 taken, but 11 kept + 0
 * lost; zones, row 3: …; and 4 more". Freed by the caller; NULL where nothing does. profile_check()
 * must have passed: it refuses what could lead the program astray (an index out of its table, a
 * parent behind its child, columns of unequal length, numbers that are not finite, sums that
 * overflow). Whatever else cannot be true only misleads readers, so they are told. A checkpoint of
 * a capture that was killed may contradict itself, and so may files of other writers.
 */
char *contradictions_text(const struct profile *);

#endif
