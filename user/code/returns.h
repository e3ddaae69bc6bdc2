/*
 * returns: the frames of code that no call frame information describes (musl, hand assembly, crt
 * files), by following the code to where it returns: the way there tells how far the stack pointer
 * is from the return address, and where the caller's rbp stands. Where ways differ, or lead to what
 * cannot be followed, nothing is told; nor where a part keeps frame pointers, which tell more (V8's
 * builtins), or is data. What is told holds for code that keeps to the psABI, which nobody
 * promises: it is a guess that checks out.
 *
 * returns_file: where the code is; returns_code: its instructions; returns_ways: frames from them;
 * returns: their rows.
 *
 * Works on untrusted code: time and memory are linear in its size.
 */
#ifndef ELF_RETURNS_H
#define ELF_RETURNS_H

#include "cfi/cfi.h"
#include "elf/elffile.h"

/* A file whose code is to be read. @f must outlive it. */
struct returns;
struct returns *returns_new(const struct elffile *f);
void returns_free(struct returns *);

/* Calls @row for the code at [@from, @to), offsets in the file, at most 1 MiB, as cfi_rows() does:
 * in ascending order, with CFI_NONE where nothing is known; there is one at @from. What is cut at
 * one of its ends goes on beyond it, of the same kind. */
struct returns_part {
	uint64_t from, to;
	bool cut_before, cut_behind;
};
int returns_rows(struct returns *, const struct returns_part *, cfi_row_fn *row, void *context);

#endif
