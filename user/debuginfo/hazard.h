/*
 * hazard: tells why return addresses must not be hijacked in a process that maps a file: its code
 * unwinds, walks, copies or moves stacks, and would find the uretprobe trampoline in place of a
 * return address. Only in confined worker processes.
 */
#ifndef DEBUGINFO_HAZARD_H
#define DEBUGINFO_HAZARD_H

#include "debuginfo/zonefile.h"

/* The reason, to be put after the file's name: "throws C++ exceptions"; NULL: no hazard known.
 * @base: the base name of its path. */
const char *hazard_find(const struct zonefile *, const char *base);

#endif
