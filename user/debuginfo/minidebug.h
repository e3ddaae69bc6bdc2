/*
 * minidebug: opens the symbols that Fedora, Red Hat and SUSE leave in stripped files: a small ELF
 * file with a .symtab, compressed, in the section .gnu_debugdata. Uses libdwfl, which may crash on
 * a hostile file: only in confined worker processes.
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
