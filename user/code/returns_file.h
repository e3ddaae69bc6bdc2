/*
 * returns_file: where a file has code, which functions it exports, and where main() is. Only for
 * the returns files.
 */
#ifndef ELF_RETURNS_FILE_H
#define ELF_RETURNS_FILE_H

#include "base/vec.h"
#include "elf/elffile.h"

/* Offsets in the file. */
struct returns_range {
	uint64_t start, end;
};

struct returns_file {
	const struct elffile *elf; /* borrowed */
	VEC(struct returns_range)
	code; /* ascending, disjoint: executable sections; segments where
		 there are no sections */
	VEC(struct returns_range) exports; /* ascending, without their ends */
	uint64_t main;			   /* offset of what the entry point passes on to be called;
					    * 0: not known. With has_code */
	bool has_code, has_exports;	   /* they were looked for */
};

/* The first piece of code that reaches into [@from, @to), with its own ends: false where there is
 * none. */
bool returns_file_code(struct returns_file *, uint64_t from, uint64_t to,
		       struct returns_range *out);
/* Sets marks[i] for each function that others may call at @from + i; @n marks. */
void returns_file_mark_exports(struct returns_file *, uint64_t from, uint8_t *marks, size_t n);
/* The same for main(), which often is called by address from another part alone, and need not ever
 * return. */
void returns_file_mark_main(const struct returns_file *, uint64_t from, uint8_t *marks, size_t n);
void returns_file_release(struct returns_file *);

#endif
