/*
 * native_walk: the walker of the BPF programs, compiled for user space: finishes or repeats a walk
 * over recorded registers and stack memory. Where tables cannot express a rule, it uses the call
 * frame information itself.
 */
#ifndef UNWIND_NATIVE_WALK_H
#define UNWIND_NATIVE_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cfi/cfi.h"
#include "sample/regs.h"
#include "unwind/table_build.h"

/* The place of code: its file's table (borrowed; NULL: none) and the file offset. */
struct native_code {
	const struct table_blob *table;
	uint64_t offset;
};

/* The input of a walk. Registers by DWARF number; 16 is rip. */
struct native_walk {
	const uint64_t *registers; /* CFI_REGISTERS of them, of the innermost frame; borrowed */
	/* Finds the code at an address; false if none is mapped. */
	bool (*find)(void *context, uint64_t address, struct native_code *out);
	/* Reads a word of the target's memory; false if it is missing. */
	bool (*read)(void *context, uint64_t address, uint64_t *out);
	/* All call frame information for the code at an address; false if there is none. May be
	 * NULL. */
	bool (*frame)(void *context, uint64_t address, struct cfi_frame *out);
	/* The address by which uretprobes replace return addresses (0: none), and what they
	 * replaced. */
	uint64_t trampoline;
	const struct wire_origin *origins; /* borrowed */
	size_t n_origins;
	/* Script frames (wire_script.h), to take the place of the native frames of the loops that
	 * run them. */
	const uint64_t *chain; /* borrowed */
	size_t n_chain;
	void *context;
};

struct native_end {
	size_t n;	   /* frames, including the innermost */
	enum step_end end; /* STEP_NEXT: no room for more frames */
	size_t n_guessed;  /* frames that no rule covers */
	bool no_rule;	   /* ended in code without a rule */
};

/* Writes the frames' addresses, innermost first, with the flags that they have in a wire_stack. */
struct native_end native_walk(const struct native_walk *, uint64_t *frames, size_t max);

/* The rule for file offset @offset in @table. False: none. */
bool native_find(const struct table_blob *table, uint64_t offset, struct table_rule *out);

#endif
