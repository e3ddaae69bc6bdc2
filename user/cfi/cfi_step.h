/*
 * cfi_step: unwinds one frame by the full call frame information: all registers, any expression.
 * For the few frames whose rules the walker's tables cannot hold.
 */
#ifndef ELF_CFI_STEP_H
#define ELF_CFI_STEP_H

#include "cfi/cfi.h"
#include "cfi/cfi_registers.h"

/* Replaces @r by the caller's registers; unless it returns CFI_STEP_DONE, @r is unchanged. Done,
 * rip and rsp are known, others only where the call frame information tells. */
enum cfi_step cfi_step(const struct cfi_frame *, const struct cfi_memory *,
		       struct cfi_registers *r);

#endif
