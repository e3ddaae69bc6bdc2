/*
 * buildid: the GNU build-id of an ELF file, from its PT_NOTE segments, or from its .note section
 * where the file has no segments in use (separate debug files).
 */
#ifndef ELF_BUILDID_H
#define ELF_BUILDID_H

#include <stdint.h>

#include "elf/elffile.h"

#define BUILDID_MAX 20
#define BUILDID_HEX (2 * BUILDID_MAX + 1)

/* The number of bytes put in @id, 0 where there is none (or none of at most BUILDID_MAX). */
uint8_t buildid_read(const struct elffile *, uint8_t id[BUILDID_MAX]);

/* Lower-case hexadecimal with its NUL; returns @hex. */
char *buildid_hex(const uint8_t *id, uint8_t bytes, char hex[BUILDID_HEX]);

#endif
