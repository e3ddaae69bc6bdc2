/*
 * cfi_section: the bytes of .eh_frame and .debug_frame. Only for the cfi files.
 */
#ifndef ELF_CFI_SECTION_H
#define ELF_CFI_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/file.h"

struct cfi_section {
	uint8_t *bytes; /* owned */
	size_t n;
	uint64_t address; /* of the first byte, where it is loaded */
	bool is_eh;	  /* .eh_frame, whose entries differ a little */
	bool ends_at_0;	  /* its size is not known: an entry of length 0 is the last */
};

/* An empty section where the file has none that can be read; -EFBIG with a text for one that is
 * beyond reason. */
int cfi_section_eh(const struct elffile *, struct cfi_section *out);
int cfi_section_debug(const struct elffile *, struct cfi_section *out);
void cfi_section_release(struct cfi_section *);

#endif
