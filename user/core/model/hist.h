/*
 * hist: the bins of a log-linear histogram of times: 64 bins a power of two, so a bin is at most
 * 1/64 = 1.6 % of its values wide, and values below 64 have a bin each. The BPF programs fill bins
 * by the same rule: bin = octave * 64 + slot.
 *
 *	value    0 …  63   octave 0: bin = value
 *	value   64 … 127   octave 1: a bin a value
 *	value  128 … 255   octave 2: two values a bin, and so on, up to INT64_MAX
 */
#ifndef MODEL_HIST_H
#define MODEL_HIST_H

#include <stddef.h>
#include <stdint.h>

#define HIST_SLOT_BITS 6
#define HIST_SLOTS     (1u << HIST_SLOT_BITS) /* bins of an octave */
#define HIST_OCTAVES   58u		      /* the last one ends at INT64_MAX */
#define HIST_BINS      (HIST_OCTAVES * HIST_SLOTS)

/* The bin of @value; values that do not fit int64_t go to the last one. */
static inline uint32_t hist_bin(uint64_t value)
{
	unsigned shift;

	if (value < HIST_SLOTS)
		return (uint32_t)value;
	if (value > INT64_MAX)
		return HIST_BINS - 1;
	shift = 63u - (unsigned)__builtin_clzll(value) - HIST_SLOT_BITS;
	return (shift << HIST_SLOT_BITS) + (uint32_t)(value >> shift);
}

/* Bin @bin (< HIST_BINS) holds the values v with low <= v < high; the last one INT64_MAX too. */
static inline int64_t hist_low(uint32_t bin)
{
	unsigned shift = bin < 2 * HIST_SLOTS ? 0 : (bin >> HIST_SLOT_BITS) - 1;

	return (int64_t)(bin - ((uint64_t)shift << HIST_SLOT_BITS)) << shift;
}

static inline int64_t hist_high(uint32_t bin)
{
	return bin + 1 < HIST_BINS ? hist_low(bin + 1) : INT64_MAX;
}

struct hist_bin {
	int64_t low_ns, high_ns; /* low <= v < high */
	uint64_t count;
};

/* The @q-quantile (0 … 1) by nearest rank: of n values the one of rank ceil(q * n). The @n bins
 * ascend and do not overlap; values of a bin count as spread evenly over it, so the error is less
 * than the bin's width. 0 without values. */
int64_t hist_quantile(const struct hist_bin *bins, size_t n, double q);

#endif
