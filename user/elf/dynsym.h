/*
 * dynsym: finds exported symbols of an ELF file by name, through its hash table: a file without
 * that symbol costs two short reads. Every offset in the file is checked, so it is safe anywhere.
 */
#ifndef ELF_DYNSYM_H
#define ELF_DYNSYM_H

#include <stdbool.h>

#include "elf/elffile.h"

/* False if the file, a 64-bit one with .gnu.hash, defines no symbol called @name. */
bool dynsym_find(const struct elffile *, const char *name, Elf64_Sym *out);

#endif
