/*
 * cfi_entry: the entries of .eh_frame and .debug_frame: what is common to many functions (CIE) and
 * what is said of one (FDE). Only for the cfi files.
 */
#ifndef ELF_CFI_ENTRY_H
#define ELF_CFI_ENTRY_H

#include "cfi/cfi_cursor.h"
#include "cfi/cfi_section.h"

struct cfi_entry {
	uint64_t at;		/* in the section */
	struct cfi_cursor body; /* behind the id */
	bool is_cie;
	uint64_t cie_at; /* of an FDE: where in the section its CIE should be */
};

struct cfi_cie {
	struct cfi_cursor program;
	uint64_t code_align;
	int64_t data_align;
	uint8_t encoding; /* of addresses, see cfi_pointer */
	uint8_t lsda; /* of the address that FDEs have, see there; CFI_PE_OMIT: they have none */
	bool sized;   /* its FDEs have augmentation data, with their size before it */
	bool signal;
};

struct cfi_fde {
	struct cfi_cursor program;
	uint64_t start, bytes; /* of the code */
	uint64_t lsda;	       /* where its table of landing pads is; 0: it has none */
};

/* The entry at or behind *@at, which moves behind it. False at the end, or where no entry can be.
 */
bool cfi_entry_next(const struct cfi_section *, size_t *at, struct cfi_entry *out);

/* False for what makes no sense, or for what no compiler makes for this machine. */
bool cfi_cie_read(const struct cfi_entry *, struct cfi_cie *out);
bool cfi_fde_read(const struct cfi_section *, const struct cfi_entry *, const struct cfi_cie *,
		  struct cfi_fde *out);

#endif
