/*
 * maps: one process's executable mappings, sorted, never overlapping, and where an address of a
 * stack lies by them: a place.
 */
#ifndef PROCESS_MAPS_H
#define PROCESS_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "process/procfs.h"

/* Modules with fixed numbers in every struct images; others follow. */
enum {
	IMAGE_NONE = 0,	  /* in no mapping; offset is the address itself */
	IMAGE_KERNEL = 1, /* offset is the kernel address */
	IMAGE_VDSO = 2,	  /* offset into the vDSO image */
	IMAGE_UNREAD = 3, /* a file or process that was not read, see allowance.h; offset is 0 */
	IMAGE_FIRST = 4
};

/* Found while the mapping was known, so that it can be named later, when the process may be gone.
 */
struct place {
	uint64_t offset; /* file: offset in the file, or place_of_variable(); anonymous or JIT: the
			    address itself */
	uint32_t image;	 /* number in struct images */
};

/* The offset of a variable, which may be in no part of the file: made of its distance from where
 * the file's first segment is mapped. */
#define PLACE_VARIABLE (1ull << 63)
static inline uint64_t place_of_variable(uint64_t distance)
{
	return distance | PLACE_VARIABLE;
}

struct mapping {
	uint64_t start, end;
	uint64_t bias; /* what is added to an address to give its place's offset (modulo 2^64) */
	uint32_t image;
};

/* A zeroed one is empty and valid. */
struct maps {
	VEC(struct mapping) at;
};

/* A new one replaces what it covers. True when it took the place of (part of) a mapping that named
 * addresses otherwise. */
bool maps_add(struct maps *, const struct mapping *);
void maps_copy(struct maps *to, const struct maps *from);
void maps_release(struct maps *);

/* False: in no mapping. */
bool maps_place(const struct maps *, uint64_t address, struct place *out);

/* Calls @each with every mapping of @pid; strings are valid for the call. The opener reads them:
 * the kernel waits for a lock that the process may hold for ever. -ESRCH: there is no such process,
 * or it has no memory; another negative errno: it cannot be told. No text. */
struct opener;
int mappings_read(struct opener *, uint32_t pid,
		  void (*each)(void *context, const struct procfs_mapping *), void *context);

#endif
