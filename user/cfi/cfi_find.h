/*
 * cfi_find: finds a file's .eh_frame and .debug_frame: by the section headers, by
 * PT_GNU_EH_FRAME, or, in files that have neither, by scanning segments for an entry. Only for the
 * cfi files.
 */
#ifndef CFI_CFI_FIND_H
#define CFI_CFI_FIND_H

#include "cfi/cfi_section.h"

/* An empty section where the file has none that can be read; -EFBIG with a text for one of an
 * implausible size. */
int cfi_find_eh(const struct elffile *, struct cfi_section *out);
int cfi_find_debug(const struct elffile *, struct cfi_section *out);

#endif
