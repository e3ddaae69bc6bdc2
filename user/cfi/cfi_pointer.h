/*
 * cfi_pointer: decodes addresses as .eh_frame encodes them (LSB 5.0, 10.5). Only for fde and the
 * cfi files.
 */
#ifndef ELF_CFI_POINTER_H
#define ELF_CFI_POINTER_H

#include "cfi/cfi_cursor.h"

#define CFI_PE_ABS8 0x00 /* eight bytes, the address itself */
#define CFI_PE_OMIT 0xff

/* What relative addresses are relative to. */
struct cfi_bases {
	const uint8_t *start; /* of the section's bytes */
	uint64_t address;     /* where they are loaded */
	uint64_t data;	      /* base of DW_EH_PE_datarel, 0: not known */
};

/* Bytes that a pointer of @encoding takes; 0: varies, or no such encoding. */
size_t cfi_pointer_bytes(uint8_t encoding);
/* Makes the cursor bad for encodings that need the memory of a process or do not exist. */
uint64_t cfi_pointer(struct cfi_cursor *, uint8_t encoding, const struct cfi_bases *);
/* As above without adding a base: for lengths of code. */
uint64_t cfi_pointer_value(struct cfi_cursor *, uint8_t encoding);

#endif
