/*
 * note: a note of a foreign ELF file (elf.h, Elf64_Nhdr), by bounded reads.
 */
#ifndef ELF_NOTE_H
#define ELF_NOTE_H

#include "elf/elffile.h"

struct note_key {
	const char *section; /* where it is if no segment has it */
	const char *owner;   /* "GNU" */
	uint32_t type;
};

/* What the first such note holds, to @out: its length if that is from 1 to @most, else 0. */
size_t note_read(const struct elffile *, const struct note_key *, void *out, size_t most);

#endif
