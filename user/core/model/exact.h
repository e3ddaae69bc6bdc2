/*
 * exact: sums of squares and of fractions as whole numbers of 128 bits, which are the same in any
 * order and grouping; a sum of doubles depends on the order.
 */
#ifndef MODEL_EXACT_H
#define MODEL_EXACT_H

#include <stdint.h>

/* Of fractions: in units of 2^-EXACT_BITS. */
typedef __int128 exact_sum;
#define EXACT_BITS 32

/* Larger than any sum of eprof's: 2^62 ns, 146 years, of a value of 2^32. */
#define EXACT_MOST ((double)0x1p62 * 0x1p62)

/* Rounds to 2^-32; 0 for what is not finite, or larger than EXACT_MOST. */
static inline exact_sum exact_of(double v)
{
	const double scaled = v * (double)(1ull << EXACT_BITS);

	if (!(scaled >= -EXACT_MOST && scaled <= EXACT_MOST))
		return 0;
	return (exact_sum)(scaled < 0 ? scaled - 0.5 : scaled + 0.5);
}

/* Sums in a forged file may be so large that these wrap around. */
static inline exact_sum exact_add(exact_sum a, exact_sum b)
{
	return (exact_sum)((unsigned __int128)a + (unsigned __int128)b);
}

static inline exact_sum exact_less(exact_sum a, exact_sum b)
{
	return (exact_sum)((unsigned __int128)a - (unsigned __int128)b);
}

/* @sum / @by, rounded; 0 if @by is 0. */
static inline double exact_ratio(exact_sum sum, uint64_t by)
{
	return by ? (double)((long double)sum / (long double)by / (1ull << EXACT_BITS)) : 0;
}

#endif
