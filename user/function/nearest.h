/*
 * nearest: the names most like one that was not found.
 */
#ifndef FUNCTION_NEAREST_H
#define FUNCTION_NEAREST_H

#include <stddef.h>
#include <stdint.h>

#define NEAREST_MAX 5

/* A zeroed one is empty and valid. */
struct nearest {
	struct near {
		char *name; /* owned */
		uint32_t distance;
	} at[NEAREST_MAX]; /* nearest first, of like ones by name */
	size_t n;
};

#define NEAREST_FAR UINT32_MAX

/* How far @name is from @wanted, wildcards in it left aside: 0 but for the case of letters, less
 * where one is within the other, NEAREST_FAR: nothing alike. */
uint32_t nearest_distance(const char *wanted, const char *name);

/* Takes @name if it is among the nearest so far, and not yet there. */
void nearest_add(struct nearest *, const char *name, uint32_t distance);
void nearest_release(struct nearest *);

#endif
