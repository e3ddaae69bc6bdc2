/*
 * cfi_section: the bytes of .eh_frame and .debug_frame, and the entries in them: CIEs (what many
 * functions have in common) and FDEs (one function each). Only for the cfi files.
 */
#ifndef CFI_CFI_SECTION_H
#define CFI_CFI_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cfi/cfi_cursor.h"
#include "elf/elffile.h"

struct cfi_section {
	uint8_t *bytes; /* owned */
	size_t n;
	uint64_t address;      /* of the first byte, where it is loaded */
	bool is_eh;	       /* .eh_frame, whose entries differ a little */
	bool ends_at_0;	       /* its size is not known: an entry of length 0 ends it */
	struct budget *budget; /* of the file; borrowed */
};

void cfi_section_release(struct cfi_section *);

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
	uint8_t encoding; /* of addresses, see cfi_pointer() */
	uint8_t lsda;	  /* encoding of the FDEs' lsda address; CFI_PE_OMIT: they have none */
	bool sized;	  /* its FDEs have augmentation data, with their size before it */
	bool signal;
};

struct cfi_fde {
	struct cfi_cursor program;
	uint64_t start, bytes; /* of the code */
	uint64_t lsda;	       /* where its table of landing pads is; 0: it has none */
};

/* The entry at *@at, which moves past it. False where none can be: at the end, or at a length of 0.
 */
bool cfi_entry_at(const struct cfi_section *, size_t *at, struct cfi_entry *out);
/* The next entry from *@at on, behind lengths of 0, which stand between the files' parts. */
bool cfi_entry_next(const struct cfi_section *, size_t *at, struct cfi_entry *out);

/* False for a malformed entry, or one that no compiler emits for x86-64. */
bool cfi_cie_read(const struct cfi_entry *, struct cfi_cie *out);
bool cfi_fde_read(const struct cfi_section *, const struct cfi_entry *, const struct cfi_cie *,
		  struct cfi_fde *out);

/* An empty section where the file has none that can be read; -EFBIG with a text for one of an
 * implausible size. */
int cfi_find_eh(const struct elffile *, struct cfi_section *out);
int cfi_find_debug(const struct elffile *, struct cfi_section *out);

#endif
