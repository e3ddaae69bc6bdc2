/*
 * place: where an address of a stack lies: a module and an offset in it, found while the mapping
 * was known, so that it can be named later, when the process may be gone.
 */
#ifndef SYMBOL_PLACE_H
#define SYMBOL_PLACE_H

#include <stdint.h>

/* Modules with fixed numbers in every struct images; others follow. */
enum {
	IMAGE_NONE = 0,	  /* in no mapping; offset is the address itself */
	IMAGE_KERNEL = 1, /* offset is the kernel address */
	IMAGE_VDSO = 2,	  /* offset into the vDSO image */
	IMAGE_UNREAD = 3, /* a file or process that was not read, see allowance.h; offset is 0 */
	IMAGE_FIRST = 4
};

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

#endif
