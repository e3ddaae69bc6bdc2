/*
 * cfi_find: finds a file's .eh_frame and .debug_frame: by the section headers, by
 * PT_GNU_EH_FRAME, or by searching. Only for the cfi files.
 */
#ifndef CFI_FIND_H
#define CFI_FIND_H

#include "cfi/cfi_section.h"

/* An empty section where the file has none that can be read; -EFBIG with a text for one that is
 * beyond reason. */
int cfi_find_eh(const struct elffile *, struct cfi_section *out);
int cfi_find_debug(const struct elffile *, struct cfi_section *out);

#endif
