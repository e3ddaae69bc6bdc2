/*
 * bound: where an address stands among ascending ones.
 */
#ifndef ELF_BOUND_H
#define ELF_BOUND_H

#include <stddef.h>
#include <stdint.h>

/* The index of the first of @addresses that is not below @value; @n where all are. */
static inline size_t bound_lower(const uint64_t *addresses, size_t n, uint64_t value)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (addresses[mid] < value)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

#endif
