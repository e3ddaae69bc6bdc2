/*
 * imports: the names of what a file has from others. For processes that may die of reading it.
 */
#ifndef ELF_IMPORTS_H
#define ELF_IMPORTS_H

#include "debuginfo/zonefile.h"

/* Calls @each with every undefined name of the file's dynamic symbols. Names may have a version
 * behind an "@": symbolname_bytes() of elf/symbolname.h is their length without. */
void imports_each(const struct zonefile *, void (*each)(void *context, const char *name),
		  void *context);

#endif
