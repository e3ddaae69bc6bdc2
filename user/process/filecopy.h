/*
 * filecopy: copies in memory: of a file, sealed, so that what reads it needs nothing from the file
 * system that the file is on; of the vDSO.
 */
#ifndef PROCESS_FILECOPY_H
#define PROCESS_FILECOPY_H

#include <stdbool.h>
#include <stdint.h>

/* Holes stay holes, and so do blocks of zeros. */
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

/* A memfd with the ELF image of the vDSO, the code that the kernel maps into every 64-bit process;
 * all of one kernel have the same, so ours is copied. The caller's to close; or -1. */
int vdso_open(void);

#endif
