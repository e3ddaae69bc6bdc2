/*
 * nameless: what stands for an address that has no name.
 */
#ifndef SYMBOL_NAMELESS_H
#define SYMBOL_NAMELESS_H

#include "process/images.h"

/* "libfoo.so.1+0x1f30", and "[JIT code]" for all of a process's JIT code, whose addresses say
 * nothing to anybody. The caller's to free. */
char *nameless(const struct image *, uint64_t offset);

#endif
