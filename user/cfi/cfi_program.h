/*
 * cfi_program: interprets the instructions of call frame information (DWARF 5, 6.4.2). Only for
 * the cfi files.
 */
#ifndef CFI_CFI_PROGRAM_H
#define CFI_CFI_PROGRAM_H

#include "cfi/cfi_cursor.h"
#include "cfi/cfi_section.h"
#include "cfi/cfi_value.h"

struct cfi_state {
	struct cfi_value cfa, registers[CFI_REGISTERS];
	struct cfi_value base; /* register and offset as last given: an expression replaces them as
				  the CFA, but later instructions can change and reinstate them
				  (libgcrypt does) */
};

/* Called with each state and the place from which it holds; adjacent states may be equal. */
typedef int cfi_state_fn(void *context, uint64_t at, const struct cfi_state *);

/* The state in which the FDEs of @cie start. False for a malformed program. */
bool cfi_program_start(const struct cfi_cie *, const struct cfi_section *, struct cfi_state *out);

/*
 * Runs @program over the code [start, end), with addresses in the units of start and of
 * DW_CFA_set_loc's. From a malformed instruction on the CFA is CFI_NONE. Returns what @state
 * returned, if negative.
 */
struct cfi_code {
	uint64_t start, end;
	const struct cfi_cie *cie;
	const struct cfi_section *section;
	const struct cfi_state *initial; /* of the CIE */
	cfi_state_fn *state;
	void *context;
};
int cfi_program_run(const struct cfi_code *, struct cfi_cursor program);

#endif
