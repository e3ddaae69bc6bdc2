/*
 * lsda: where unwinders may land in a function: the call site table of its entry in
 * .gcc_except_table. Format: that of GCC's and LLVM's personality routines for C++, C, Rust, D, Go
 * of GCC (Itanium C++ ABI: Exception Handling, 7).
 */
#ifndef ELF_LSDA_H
#define ELF_LSDA_H

#include <stdbool.h>

#include "cfi/cfi_cursor.h"

/*
 * Calls @pad with the address of each landing pad. @bytes start with the table and may go on behind
 * it; they are loaded at @address. @function: where the code starts that it is for. False for a
 * table that makes no sense.
 */
bool lsda_pads(struct cfi_cursor bytes, uint64_t address, uint64_t function,
	       void (*pad)(void *context, uint64_t address), void *context);

#endif
