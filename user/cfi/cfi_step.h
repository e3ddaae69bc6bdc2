/*
 * cfi_step: from a frame to its caller by all that call frame information says of it: every
 * register, by every expression. For the few frames that the walker's tables cannot hold.
 */
#ifndef ELF_CFI_STEP_H
#define ELF_CFI_STEP_H

#include "cfi/cfi.h"
#include "cfi/cfi_registers.h"

/* Makes @r the caller's; anything but CFI_STEP_DONE leaves it as it was. Done, its rip and rsp are
 * known; others that nothing is known of are not. */
enum cfi_step cfi_step(const struct cfi_frame *, const struct cfi_memory *,
		       struct cfi_registers *r);

#endif
