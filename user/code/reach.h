/*
 * reach: the code of a function whose end is not known: what is reachable from its first byte by
 * jumps and calls. For exported assembly functions without a size, which may be followed by
 * functions whose names were stripped.
 *
 * Works on untrusted code: time and memory are linear in the bytes up to the next known function.
 */
#ifndef CODE_REACH_H
#define CODE_REACH_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/elffile.h"

/* A zeroed one is of no function. */
struct reach {
	uint64_t start, end; /* addresses */
	uint8_t *seen;	     /* a byte of code each; NULL: cannot be told, all of it may be */
};

/* Makes it that of the function at @start which ends at @end at the latest, if it is not yet. */
void reach_read(struct reach *, const struct elffile *, uint64_t start, uint64_t end);
/* Whether @address may belong to it. */
bool reach_holds(const struct reach *, uint64_t address);
void reach_release(struct reach *);

#endif
