/*
 * cfi_step: from a frame to its caller by all that call frame information says of it: every
 * register, by every expression. For the few frames that the walker's tables cannot hold.
 */
#ifndef ELF_CFI_STEP_H
#define ELF_CFI_STEP_H

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
	CFI_STEP_UNREADABLE, /* memory that the caller is to be found by */
	CFI_STEP_UNKNOWN,    /* so is a register, or what is said makes no sense */
};

/* Makes @r the caller's; anything but CFI_STEP_DONE leaves it as it was. Done, its rip and rsp are
 * known; others that nothing is known of are not. */
enum cfi_step cfi_step(const struct cfi_frame *, const struct cfi_memory *,
		       struct cfi_registers *r);

/* False where it is not known, or is none. */
static inline bool cfi_register(const struct cfi_registers *r, uint64_t number, uint64_t *out)
{
	if (number >= CFI_REGISTERS || !(r->known >> number & 1))
		return false;
	*out = r->value[number];
	return true;
}

#endif
