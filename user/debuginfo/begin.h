/*
 * begin: opens a file for libelf and libdw. For processes that may die of it.
 */
#ifndef ELF_BEGIN_H
#define ELF_BEGIN_H

#include <libelf.h>

/* NULL for what is no ELF file, and for a negative @fd. The caller's to end by elf_end(); @fd must
 * stay open until then. */
Elf *begin_elf(int fd);

#endif
