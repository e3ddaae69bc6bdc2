/*
 * overlay: a file as HDF5 sees it through a driver of eprof's: the bytes of a descriptor, and
 * changes to them that are kept in memory. HDF5 writes in place, in an order of its own, and cannot
 * undo a write that fails; so none of its writes reach the disk: journal.h writes all changes at
 * once. Used by store only.
 */
#ifndef STORE_OVERLAY_H
#define STORE_OVERLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/vec.h"
#include "store/h5.h"

/* Changes are kept in pages: a sector, so that an object's header of a few hundred bytes is not a
 * page of thousands in the journal. */
#define OVERLAY_PAGE_BYTES 512

struct overlay_page {
	uint64_t number; /* times OVERLAY_PAGE_BYTES: its place in the file */
	char bytes[OVERLAY_PAGE_BYTES];
};

struct overlay {
	int fd;	       /* lent */
	uint64_t base; /* bytes of the file that stay, with pages over them */
	uint64_t end;  /* where the file ends, changes included */
	VEC(struct overlay_page) pages;
	struct map by_number; /* page → its place in pages */
	VEC(char) tail;	      /* the bytes behind the base */
	/* For a new file, which nobody sees yet: HDF5 writes to fd at once, and does not learn that
	 * a write failed, with error, the first -errno. */
	bool direct;
	int error;
	struct overlay_file *file; /* HDF5's side, while it is open */
};

/* An overlay of the first @base bytes of @fd. To be released after HDF5 has closed the file. */
void overlay_init(struct overlay *, int fd, uint64_t base);
void overlay_release(struct overlay *);

/* Makes a file access property list open the overlay, whatever name H5Fopen() is given. */
int overlay_set_access(struct overlay *, hid_t access);

/* The @n bytes @at, as HDF5 sees them; 0 behind the end. -errno. */
int overlay_read(const struct overlay *, uint64_t at, char *to, size_t n);

/* Puts a page with the bytes @at over what the file has there. */
void overlay_put_page(struct overlay *, uint64_t number, const void *at);

#endif
