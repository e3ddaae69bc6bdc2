/*
 * native_walk: the walker of the kernel programs, compiled for user space: finishes or repeats a
 * walk over registers and stack memory that were recorded.
 */
#ifndef UNWIND_NATIVE_WALK_H
#define UNWIND_NATIVE_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/regs.h"
#include "unwind/table_build.h"

/* Where code lies: its file's table (borrowed; NULL: it has none) and the offset in the file. */
struct native_code {
	const struct table_blob *table;
	uint64_t offset;
};

/* What a walk reads. Registers go by DWARF number: 16 is rip. */
struct native_walk {
	const uint64_t *registers; /* 17 of the innermost frame; borrowed */
	/* The code at an address; false where none is mapped. */
	bool (*find)(void *context, uint64_t address, struct native_code *out);
	/* A word of the target's memory; false where there is none. */
	bool (*read)(void *context, uint64_t address, uint64_t *out);
	/* Where the frame whose code is at an address saved its caller's rbx; false where that
	 * is not known. May be NULL. */
	bool (*saved_rbx)(void *context, uint64_t address, struct cfi_value *out);
	void *context;
};

struct native_end {
	size_t n;	   /* frames, the innermost included */
	enum step_end end; /* STEP_NEXT: there was no room for more frames */
	size_t n_by_bp;	   /* of them found by frame pointer, where there was no rule */
};

/* Addresses of the frames, the innermost first; the others are return addresses, or the places
 * that a signal interrupted. @by_bp (may be NULL) says of each whether it was found by frame
 * pointer. */
struct native_end native_walk(const struct native_walk *, uint64_t *frames, uint8_t *by_bp,
			      size_t max);

/* The rule for the place @offset in the file of @table. False: none. */
bool native_find(const struct table_blob *table, uint64_t offset, struct table_rule *out);

#endif
