/*
 * returns: infers unwind rows for code that no call frame information describes (musl, hand-written
 * assembly, crt files), by following each path to a return: the pushes and pops on it tell how far
 * the stack pointer is from the return address, and where the caller's rbp is saved. There is no
 * row where paths disagree or cannot be followed, nor for data, nor for code that keeps frame
 * pointers, which serve better (V8's builtins). The rows assume that the code keeps to the psABI,
 * which is not certain: samples mark such frames as guessed.
 *
 * returns_file finds the code, returns_code decodes it, returns_ways follows its paths, returns
 * makes the rows.
 *
 * Works on untrusted code: time and memory are linear in its size.
 */
#ifndef CODE_RETURNS_H
#define CODE_RETURNS_H

#include "base/vec.h"
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
