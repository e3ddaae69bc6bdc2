/*
 * loop: where the code of an interpreter's loop is: its function, and the part of it that the
 * compiler moved away as unlikely, to which no symbol leads. A frame in either is the loop's.
 */
#ifndef SCRIPT_LOOP_H
#define SCRIPT_LOOP_H

#include <stdint.h>

#include "elf/elffile.h"

struct loop_part {
	uint64_t at;	/* address in the file */
	uint32_t bytes; /* 0: there is none */
};

struct loop {
	struct loop_part function, cold;
};

/* Sets @out for the exported function @name; false if the file has none of sensible size. */
bool loop_find(const struct elffile *, const char *name, struct loop *out);

#endif
