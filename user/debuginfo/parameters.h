/*
 * parameters: what DWARF says of a function's parameters and its result: their names and types, and
 * where the System V ABI puts each. Uses libdw: only in confined worker processes.
 */
#ifndef DEBUGINFO_PARAMETERS_H
#define DEBUGINFO_PARAMETERS_H

#include <elfutils/libdw.h>

#include "abi/signature.h"
#include "debuginfo/dwofiles.h"

/* Of the function whose entry is @die, of the .debug_info that the linker made. NULL: not written
 * in C or C++, with a type that is not there, or changed by the compiler. Freed by the caller.
 * @split: .dwo files that may have types; NULL: none. */
struct signature *parameters_read(const Dwarf_Die *die, struct dwofiles *split);

#endif
