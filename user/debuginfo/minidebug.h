/*
 * minidebug: the symbols that Fedora, Red Hat and SUSE leave in what they strip: a small ELF file
 * with a .symtab, compressed, in the section .gnu_debugdata. Uses libdwfl to get at it, which
 * trusts what it reads more than we do: for processes that may die of it.
 */
#ifndef ELF_MINIDEBUG_H
#define ELF_MINIDEBUG_H

#include <elfutils/libdwfl.h>

#include "elf/elffile.h"

struct minidebug {
	Elf *elf; /* NULL: there is none */
	Dwfl *dwfl;
};

void minidebug_open(const struct elffile *, struct minidebug *out);
void minidebug_close(struct minidebug *);

#endif
