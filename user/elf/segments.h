/*
 * segments: translates between offsets in an ELF file and the addresses that its symbols and DWARF
 * use, by the PT_LOAD program headers. Section headers are not needed: they may be stripped.
 */
#ifndef ELF_SEGMENTS_H
#define ELF_SEGMENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "elf/elffile.h"

/* False where no loaded segment holds it. Executable segments are asked first: the file ranges of
 * neighbours may share a page. */
bool segments_address(const struct elffile *, uint64_t offset, uint64_t *address);
bool segments_offset(const struct elffile *, uint64_t address, uint64_t *offset);

/* The first segment of that type, NULL where there is none. */
const Elf64_Phdr *segments_first(const struct elffile *, uint32_t type);

/* Calls @fn for each entry of the dynamic section until it returns true; returns whether it did.
 * 64-bit files only. */
bool segments_dynamic(const struct elffile *, bool (*fn)(void *context, const Elf64_Dyn *),
		      void *context);

/* The lowest address of an executable segment, 0 where there is none. */
uint64_t segments_code_start(const struct elffile *);

/* The address at @distance from where the first loaded segment is mapped, by pages. False where
 * no loaded segment holds it, zeroed data included. */
bool segments_loaded(const struct elffile *, uint64_t distance, uint64_t *address);

#endif
