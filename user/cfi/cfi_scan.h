/*
 * cfi_scan: searches a segment for .eh_frame, for files that have neither a section header nor
 * PT_GNU_EH_FRAME for it. Taken as proof: a CIE followed by an FDE that refers to it and to code.
 * Only for the cfi files.
 */
#ifndef ELF_CFI_SCAN_H
#define ELF_CFI_SCAN_H

#include "cfi/cfi_section.h"

/* Trims @s, the bytes of a segment, to start at the first such entry; leaves it empty where there
 * is none. */
void cfi_scan(const struct elffile *, struct cfi_section *s);

#endif
