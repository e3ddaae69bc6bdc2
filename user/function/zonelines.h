/*
 * zonelines: where functions are declared in their source files, by DWARF. For processes that may
 * die of it.
 */
#ifndef FUNCTION_ZONELINES_H
#define FUNCTION_ZONELINES_H

#include "debuginfo/dwarf.h"
#include "debuginfo/zonefile.h"

struct zonelines {
	struct dwarf_names names;
	bool known; /* there is DWARF */
	VEC(uint32_t) ends;
};

/* Of the functions at the ascending @addresses. @ends: also where they end, for which they must be
 * all of the file's. Strings live as long as @out and the file. */
void zonelines_find(struct zonefile *, const uint64_t *addresses, uint32_t n, bool ends,
		    struct zonelines *out);
void zonelines_release(struct zonelines *);

/* Of function number @i of those; NULL: not known. */
const struct dwarf_function *zonelines_declared(const struct zonelines *, size_t i);
/* Its last line, that before the next function of its file; 0: it is the last one, or not known. */
uint32_t zonelines_end(const struct zonelines *, size_t i);

#endif
