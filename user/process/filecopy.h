/*
 * filecopy: copies into memory: of a file, sealed, so that its readers need nothing from the file
 * system that it is on; and of the vDSO.
 */
#ifndef PROCESS_FILECOPY_H
#define PROCESS_FILECOPY_H

#include <stdbool.h>
#include <stdint.h>

/* Holes stay holes, and so do blocks of zeros. */
struct filecopy {
	int from;
	uint64_t bytes; /* the file's size as stat(2) says */
	uint64_t most;	/* the largest number of bytes to keep in memory */
	/* Called after each piece with the bytes of memory that it took; false ends the copy. */
	bool (*goes_on)(void *context, uint64_t more);
	void *context;
};

/* Returns a descriptor for the caller; -EFBIG: the file has more data than .most; -EIO: it is
 * shorter than .bytes, or cannot be read; -ECANCELED: goes_on() returned false. No texts. */
int filecopy_make(const struct filecopy *);

/* A memfd with the ELF image of the vDSO, the code that the kernel maps into every 64-bit process.
 * All processes of one kernel have the same image, so ours is copied. The caller closes it. -1:
 * failed. */
int vdso_open(void);

#endif
