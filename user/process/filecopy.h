/*
 * filecopy: a copy of a file in memory, sealed, so that what reads it needs nothing from the file
 * system that the file is on. Holes stay holes, and so do blocks of zeros.
 */
#ifndef PROCESS_FILECOPY_H
#define PROCESS_FILECOPY_H

#include <stdbool.h>
#include <stdint.h>

struct filecopy {
	int from;
	uint64_t bytes; /* that the file is said to have */
	uint64_t most;	/* to be kept in memory */
	/* Called after each piece, with the bytes that it took in memory; false: no more. */
	bool (*goes_on)(void *context, uint64_t more);
	void *context;
};

/* A descriptor for the caller; -EFBIG: it has more than is to be kept; -EIO: it is shorter than it
 * said, or cannot be read; -ECANCELED. No texts. */
int filecopy_make(const struct filecopy *);

#endif
