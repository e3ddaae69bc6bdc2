/*
 * cfi_value: a rule of call frame information for one register of the caller, and the DWARF numbers
 * of the registers.
 */
#ifndef CFI_CFI_VALUE_H
#define CFI_CFI_VALUE_H

#include <stdint.h>

/* DWARF register numbers. */
#define CFI_RBP 6
#define CFI_RSP 7
#define CFI_RIP 16

#define CFI_REGISTERS 17

/* How a value of the caller is found. */
enum cfi_how {
	CFI_NONE = 0,	   /* no entry covers the code, or a broken one: only as a CFA */
	CFI_SAME,	   /* still in its register */
	CFI_UNDEFINED,	   /* lost; for the return address: there is no caller */
	CFI_REG,	   /* register reg + offset */
	CFI_AT_REG,	   /* *(register reg + offset) + add */
	CFI_AT_INDEX,	   /* *(register reg + offset + 8 * register index) + add */
	CFI_CFA,	   /* CFA + offset */
	CFI_AT_CFA,	   /* *(CFA + offset) */
	CFI_PLT,	   /* rsp + 8 + ((rip & 15) >= offset ? 8 : 0) */
	CFI_EXPRESSION,	   /* what the expression at offset of its section computes */
	CFI_AT_EXPRESSION, /* the word at the address that the expression computes */
	CFI_OTHER, /* not representable: a register that x86-64 lacks, an offset of gigabytes */
};

struct cfi_value {
	uint8_t how; /* enum cfi_how */
	uint8_t reg; /* DWARF number, at most CFI_RIP */
	uint8_t index;
	uint8_t pad;
	int32_t offset, add;
};

#endif
