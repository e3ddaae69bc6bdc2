/*
 * buildid: the GNU build-id of an ELF file, from its PT_NOTE segments, or from its .note section
 * where the file has no segments in use (separate debug files); and other notes.
 */
#ifndef ELF_BUILDID_H
#define ELF_BUILDID_H

#include <stdint.h>

#include "elf/elffile.h"

/* A note of a foreign ELF file (elf.h, Elf64_Nhdr). */
struct note_key {
	const char *section; /* where it is if no segment has it */
	const char *owner;   /* "GNU" */
	uint32_t type;
};

/* What the first such note holds, to @out: its length if that is from 1 to @most, else 0. */
size_t note_read(const struct elffile *, const struct note_key *, void *out, size_t most);

#define BUILDID_MAX 20
#define BUILDID_HEX (2 * BUILDID_MAX + 1)

/* The number of bytes put in @id, 0 where there is none (or none of at most BUILDID_MAX). */
uint8_t buildid_read(const struct elffile *, uint8_t id[BUILDID_MAX]);

/* Lower-case hexadecimal with its NUL; returns @hex. */
char *buildid_hex(const uint8_t *id, uint8_t bytes, char hex[BUILDID_HEX]);

#endif
