/*
 * table_build: compiles what a file's call frame information says, and its code where that says
 * nothing, into the table that the walker reads (bpf/sample/table.h).
 */
#ifndef UNWIND_TABLE_BUILD_H
#define UNWIND_TABLE_BUILD_H

#include <stddef.h>
#include <stdint.h>

#include "cfi/cfi.h"
#include "elf/elffile.h"
#include "sample/table.h"

struct table_blob {
	uint64_t *words; /* owned; starts with a struct table_header */
	size_t n_words;	 /* whole lines, TABLE_LINE_WORDS each */
};

/*
 * Makes the tables of one file, from its own bytes: a separate debug file has no call frame
 * information. @f must outlive it. -ENOTSUP with a text for files of other machines, -EFBIG for
 * more than a file can sensibly have, -EINVAL where it cannot be read. Owned by the caller.
 */
struct table_maker;
int table_maker_new(const struct elffile *f, struct table_maker **out);
void table_maker_free(struct table_maker *);

/*
 * The table of the code at offsets [@from, @to) of the file; both are multiples of a page, or 0 and
 * UINT64_MAX. A file without call frame information still gets one: of its entry point, behind
 * which there is no caller, of its sigreturn stubs, which have a known frame, and of what its code
 * tells. About 4 bytes a row. -EFBIG with a text for code beyond 4 GiB into the file.
 */
int table_make(struct table_maker *, uint64_t from, uint64_t to, struct table_blob *out);
/* cfi_frame_at() of the file. */
bool table_frame(struct table_maker *, uint64_t offset, struct cfi_frame *out);
/* The whole file's. */
int table_build(const struct elffile *, struct table_blob *out);
void table_blob_release(struct table_blob *);

#endif
