/*
 * dynsym: finds exported symbols of an ELF file by name, through its hash table: a file without
 * that symbol costs two short reads. Every offset in the file is checked, so it is safe anywhere.
 */
#ifndef ELF_DYNSYM_H
#define ELF_DYNSYM_H

#include <stdint.h>

#include "elf/elffile.h"

/* The number of the symbol called @name, by which relocations refer to it; 0: the file, if it is a
 * 64-bit one with .gnu.hash, defines none. */
uint32_t dynsym_find(const struct elffile *, const char *name, Elf64_Sym *out);

#endif
