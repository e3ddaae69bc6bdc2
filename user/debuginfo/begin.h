/*
 * begin: opens a file for libelf and libdw. Only in confined worker processes, as a hostile file
 * may crash the library.
 */
#ifndef DEBUGINFO_BEGIN_H
#define DEBUGINFO_BEGIN_H

#include <elfutils/libdwfl.h>
#include <libelf.h>
#include <stdbool.h>

#include "elf/elffile.h"

/* NULL for a file that is not ELF, and for a negative @fd. The caller calls elf_end(); @fd must
 * stay open until then. */
Elf *begin_elf(int fd);

/* Whether @elf, NULL for none, has DWARF that is compressed with zstd. */
bool begin_has_zstd(Elf *elf);

/* Opens the symbols that Fedora, Red Hat and SUSE leave in stripped files: a small ELF file with a
 * .symtab, compressed, in the section .gnu_debugdata. */
struct minidebug {
	Elf *elf; /* NULL: there is none */
	Dwfl *dwfl;
};

void minidebug_open(const struct elffile *, struct minidebug *out);
void minidebug_close(struct minidebug *);

#endif
