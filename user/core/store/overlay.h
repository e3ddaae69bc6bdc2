/*
 * overlay: a file as HDF5 sees it, through a driver of our own: the bytes of a descriptor, and over
 * them changes that are kept in memory. HDF5 writes in place and in an order of its own, and has no
 * way back from a write that fails; so none of its writes meet the disk: what it changed is put
 * there by journal.h, as one. Used by store only.
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
	uint64_t base; /* bytes of the file that stand, with pages over them */
	uint64_t end;  /* where the file ends, changes included */
	VEC(struct overlay_page) pages;
	struct map by_number; /* page → its place in pages */
	VEC(char) tail;	      /* what is to follow the base */
	/* For a new file, which nobody sees yet: all goes to fd at once, there is no tail. A write
	 * that failed is kept here, and hidden from HDF5. */
	bool direct;
	int error;		   /* 0, or -errno */
	struct overlay_file *file; /* HDF5's side, while it is open */
};

/* Over the first @base bytes of @fd. To be released after HDF5 has closed the file. */
void overlay_init(struct overlay *, int fd, uint64_t base);
void overlay_release(struct overlay *);

/* Makes a file access property list open that file, whatever name H5Fopen() is given. */
int overlay_set_access(struct overlay *, hid_t access);

/* The @n bytes @at, as HDF5 sees them; 0 behind the end. -errno. */
int overlay_read(const struct overlay *, uint64_t at, char *to, size_t n);

/* A page with the bytes @at, in the place of what the file has there. */
void overlay_put_page(struct overlay *, uint64_t number, const void *at);

#endif
