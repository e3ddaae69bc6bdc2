/*
 * cfi_section: the bytes of .eh_frame and .debug_frame. Only for the cfi files.
 */
#ifndef ELF_CFI_SECTION_H
#define ELF_CFI_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/elffile.h"

struct cfi_section {
	uint8_t *bytes; /* owned */
	size_t n;
	uint64_t address;      /* of the first byte, where it is loaded */
	bool is_eh;	       /* .eh_frame, whose entries differ a little */
	bool ends_at_0;	       /* its size is not known: an entry of length 0 ends it */
	struct budget *budget; /* of the file; borrowed */
};

/* The @n bytes at @offset of the file; empty where it has no such bytes or they cannot be read.
 * -EFBIG with a text for an implausible size. */
int cfi_section_load(const struct elffile *, uint64_t offset, uint64_t n, struct cfi_section *);
/* The bytes of the section @name, decompressed, and its address. Errors as above. */
int cfi_section_named(const struct elffile *, const char *name, struct cfi_section *);
void cfi_section_release(struct cfi_section *);

#endif
