/*
 * hazard: what in a file makes it unsafe to hijack return addresses in a process that maps it: it
 * unwinds stacks, walks them, copies or moves them, and would meet the trampoline that stands in
 * for a return address. For processes that may die of reading it.
 */
#ifndef ELF_HAZARD_H
#define ELF_HAZARD_H

#include "debuginfo/zonefile.h"

/* What it does, to follow the file's name: "throws C++ exceptions"; NULL: nothing known. @base: the
 * base name of its path. */
const char *hazard_find(const struct zonefile *, const char *base);

#endif
