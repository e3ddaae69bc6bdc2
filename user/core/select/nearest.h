/*
 * nearest: suggestions for a name that was not found: the names most like it.
 */
#ifndef SELECT_NEAREST_H
#define SELECT_NEAREST_H

#include <stddef.h>
#include <stdint.h>

#define NEAREST_MAX 5

/* A zeroed one is empty and valid. */
struct nearest {
	struct near {
		char *name; /* owned */
		uint32_t distance;
	} at[NEAREST_MAX]; /* by distance, then by name */
	size_t n;
};

#define NEAREST_FAR UINT32_MAX

/* How far @name is from @wanted, whose wildcards are ignored: 0 if only the case of letters
 * differs; small if one contains the other; NEAREST_FAR: not alike. */
uint32_t nearest_distance(const char *wanted, const char *name);

/* Adds @name if it is among the nearest so far, and not in the list yet. */
void nearest_add(struct nearest *, const char *name, uint32_t distance);
void nearest_release(struct nearest *);

/* Adds @name by its distance from @wanted. */
void nearest_try(struct nearest *, const char *wanted, const char *name);
/* " (did you mean 'cycles' or 'cpu-cycles'?)", of the nearest two; "" where there is none. Freed by
 * the caller; releases the names. */
char *nearest_hint(struct nearest *);

#endif
