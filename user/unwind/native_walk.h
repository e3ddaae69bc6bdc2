/*
 * native_walk: the walker of the kernel programs, compiled for user space: finishes or repeats a
 * walk over registers and stack memory that were recorded. What tables cannot hold it finds by the
 * call frame information itself.
 */
#ifndef UNWIND_NATIVE_WALK_H
#define UNWIND_NATIVE_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cfi/cfi.h"
#include "sample/regs.h"
#include "unwind/table_build.h"

/* Where code lies: its file's table (borrowed; NULL: it has none) and the offset in the file. */
struct native_code {
	const struct table_blob *table;
	uint64_t offset;
};

/* What a walk reads. Registers go by DWARF number: 16 is rip. */
struct native_walk {
	const uint64_t *registers; /* CFI_REGISTERS of the innermost frame; borrowed */
	/* The code at an address; false where none is mapped. */
	bool (*find)(void *context, uint64_t address, struct native_code *out);
	/* A word of the target's memory; false where there is none. */
	bool (*read)(void *context, uint64_t address, uint64_t *out);
	/* All that call frame information says of the code at an address; false where that is
	 * nothing. May be NULL. */
	bool (*frame)(void *context, uint64_t address, struct cfi_frame *out);
	/* What uretprobes have put in the place of return addresses, 0: nothing; and those. */
	uint64_t trampoline;
	const struct wire_origin *origins; /* borrowed */
	size_t n_origins;
	void *context;
};

struct native_end {
	size_t n;	   /* frames, the innermost included */
	enum step_end end; /* STEP_NEXT: there was no room for more frames */
	size_t n_guessed;  /* of them, where there was no rule */
	bool no_rule;	   /* it ended where there was none */
};

/* Addresses of the frames, the innermost first, with the marks that they have in a wire_stack. */
struct native_end native_walk(const struct native_walk *, uint64_t *frames, size_t max);

/* The rule for the place @offset in the file of @table. False: none. */
bool native_find(const struct table_blob *table, uint64_t offset, struct table_rule *out);

#endif
