/*
 * loop: where the code of an interpreter's loop is: its function, and the part of it that the
 * compiler moved away as unlikely, to which no symbol leads. A frame in either is the loop's. The
 * core is a function that it calls to do the work.
 */
#ifndef SCRIPT_LOOP_H
#define SCRIPT_LOOP_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/elffile.h"

struct loop_part {
	uint64_t at;	/* address in the file */
	uint32_t bytes; /* 0: there is none */
};

struct loop {
	struct loop_part function, cold, core;
};

/* Sets @out for the exported function @name; false if the file has none of sensible size. With
 * @has_core also its core, if there is one: a function without a symbol that does the work, larger
 * than it and all others that it calls. */
bool loop_find(const struct elffile *, const char *name, bool has_core, struct loop *out);

#endif
