/*
 * cfi_scan: finds .eh_frame in a file that says nowhere where it is: neither by a section header
 * nor by PT_GNU_EH_FRAME. Its entries prove themselves: a CIE and an FDE behind it that leads back
 * to it and to code. Only for the cfi files.
 */
#ifndef ELF_CFI_SCAN_H
#define ELF_CFI_SCAN_H

#include "cfi/cfi_section.h"

/* Cuts @s, the bytes of a segment, down to what begins with the first such entry; an empty section
 * where there is none. */
void cfi_scan(const struct elffile *, struct cfi_section *s);

#endif
