/*
 * chunks: reads rows of a table by whole chunks of the file, as eprof writes them: deflated,
 * shuffled, with numbers of 64 bits. HDF5 takes three times as long for the same. Used by store
 * only.
 */
#ifndef STORE_CHUNKS_H
#define STORE_CHUNKS_H

#include "store/h5.h"

struct chunks {
	hid_t set;
	const struct table *table;
	size_t rows, row_bytes, bytes; /* of a chunk; bytes of a row in the file */
	size_t at[16];		       /* per column: where it is in that */
	unsigned char *packed, *shuffled;
};

/* False: the dataset is stored in another way, and is read by h5_read_some(). */
bool chunks_init(struct chunks *, hid_t set, const struct table *);
/* A zeroed one is released, too. */
void chunks_release(struct chunks *);
/* Reads @n rows from number @first on, which is the first of a chunk. False: some are not so, or
 * damaged, and are left to h5_read_some(). */
bool chunks_read(const struct chunks *, size_t first, void *rows, size_t n);

#endif
