/*
 * cfi_registers: the state that a step from a frame to its caller starts from: the frame's
 * registers and the memory of its stack; and how such a step can end.
 */
#ifndef CFI_REGISTERS_H
#define CFI_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "cfi/cfi_value.h"

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

/* False where it is not known, or is none. */
static inline bool cfi_register(const struct cfi_registers *r, uint64_t number, uint64_t *out)
{
	if (number >= CFI_REGISTERS || !(r->known >> number & 1))
		return false;
	*out = r->value[number];
	return true;
}

#endif
