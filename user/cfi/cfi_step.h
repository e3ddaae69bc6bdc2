/*
 * cfi_step: unwinds one frame by the full call frame information: all registers, any expression.
 * For the few frames whose rules the walker's tables cannot hold.
 */
#ifndef CFI_CFI_STEP_H
#define CFI_CFI_STEP_H

#include <stdbool.h>
#include <stdint.h>

#include "cfi/cfi.h"

/* Of a frame, by DWARF number. */
struct cfi_registers {
	uint64_t value[CFI_REGISTERS];
	uint32_t known; /* a bit each */
};

/* The memory that its stack lies in. */
struct cfi_memory {
	/* The word at any address; false where there is none. */
	bool (*read)(void *context, uint64_t address, uint64_t *out);
	void *context;
};

enum cfi_step {
	CFI_STEP_DONE = 0,
	CFI_STEP_ROOT,	     /* there is no caller */
	CFI_STEP_UNREADABLE, /* memory that the step needs cannot be read */
	CFI_STEP_UNKNOWN,    /* a register that it needs is unknown, or the rule is malformed */
};

/* False where its value is not known, or there is no such register. */
static inline bool cfi_register(const struct cfi_registers *r, uint64_t number, uint64_t *out)
{
	if (number >= CFI_REGISTERS || !(r->known >> number & 1))
		return false;
	*out = r->value[number];
	return true;
}

/* Replaces @r by the caller's registers; unless it returns CFI_STEP_DONE, @r is unchanged. Done,
 * rip and rsp are known, others only where the call frame information tells. */
enum cfi_step cfi_step(const struct cfi_frame *, const struct cfi_memory *,
		       struct cfi_registers *r);

#endif
