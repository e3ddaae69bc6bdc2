/*
 * exact: sums that are the same in any order and grouping: of squares, and of fractions, as whole
 * numbers of 128 bits. A sum of doubles depends on the order in which they came.
 */
#ifndef MODEL_EXACT_H
#define MODEL_EXACT_H

#include <stdint.h>

/* Of fractions: in units of 2^-EXACT_BITS. */
typedef __int128 exact_sum;
#define EXACT_BITS 32

/* Past it no sum of ours goes: 2^62 ns, 146 years, of a value of 2^32. */
#define EXACT_MOST ((double)0x1p62 * 0x1p62)

/* A fraction to the nearest 2^-32; 0 for one that is not finite, or larger than EXACT_MOST. */
static inline exact_sum exact_of(double v)
{
	const double scaled = v * (double)(1ull << EXACT_BITS);

	if (!(scaled >= -EXACT_MOST && scaled <= EXACT_MOST))
		return 0;
	return (exact_sum)(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
}

/* The double next to @sum / @by. */
static inline double exact_ratio(exact_sum sum, uint64_t by)
{
	return by ? (double)((long double)sum / (long double)by / (1ull << EXACT_BITS)) : 0;
}

static inline double exact_value(exact_sum sum)
{
	return exact_ratio(sum, 1);
}

#endif
