/*
 * maps: one process's executable mappings, sorted, never overlapping; they translate an address of
 * a stack to a place: an image and an offset in it.
 */
#ifndef PROCESS_MAPS_H
#define PROCESS_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "process/procfs.h"

/* Images with fixed numbers in every struct images; others follow. */
enum {
	IMAGE_NONE = 0,	  /* outside of all mappings; the offset is the address itself */
	IMAGE_KERNEL = 1, /* the offset is the kernel address */
	IMAGE_VDSO = 2,	  /* the offset is one into the vDSO image */
	IMAGE_UNREAD =
		3, /* a file or process that was not read, see allowance.h; the offset is 0 */
	IMAGE_SCRIPT =
		4, /* functions of scripts; the offset is codes_offset()'s (script/codes.h) */
	IMAGE_FIRST = 5
};

/* An address translated while the mapping was known, so that it can be named later, when the
 * process may be gone. */
struct place {
	uint64_t offset; /* for a file: the file offset, or place_of_variable(); for anonymous
			    memory or JIT code: the address itself */
	uint32_t image;	 /* number in struct images */
};

/* The offset of a variable, which may be in no part of the file: encodes its distance from the
 * address at which the file's first segment is mapped. */
#define PLACE_VARIABLE (1ull << 63)
static inline uint64_t place_of_variable(uint64_t distance)
{
	return distance | PLACE_VARIABLE;
}

struct mapping {
	uint64_t start, end;
	uint64_t bias; /* address + bias = offset of the place (modulo 2^64) */
	uint32_t image;
	bool is_copy; /* memory without a file that holds the code of this one: see copied.h */
};

/* A zeroed one is empty and valid. */
struct maps {
	VEC(struct mapping) at;
};

/* The new mapping replaces what it covers. True if it replaced (part of) a mapping to another file
 * or offset. */
bool maps_add(struct maps *, const struct mapping *);
void maps_copy(struct maps *to, const struct maps *from);
void maps_release(struct maps *);

/* The mapping at @address; NULL: none. */
const struct mapping *maps_at(const struct maps *, uint64_t address);
/* False: in no mapping. */
bool maps_place(const struct maps *, uint64_t address, struct place *out);

/* Calls @each with every mapping of @pid; strings are valid for the call. The opener reads them,
 * since the kernel waits for a lock that the process may hold for ever. -ESRCH: there is no such
 * process, or it has no memory; another negative errno: the opener failed. No text. */
struct opener;
int mappings_read(struct opener *, uint32_t pid,
		  void (*each)(void *context, const struct procfs_mapping *), void *context);

#endif
