/*
 * begin: opens a file for libelf and libdw. Only in confined worker processes, as a hostile file
 * may crash the library.
 */
#ifndef ELF_BEGIN_H
#define ELF_BEGIN_H

#include <libelf.h>

/* NULL for a file that is not ELF, and for a negative @fd. The caller calls elf_end(); @fd must
 * stay open until then. */
Elf *begin_elf(int fd);

#endif
