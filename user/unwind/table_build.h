/*
 * table_build: compiles a file's call frame information into the table that the walker reads
 * (bpf/sample/table.h). Where there is none, it derives rules from the machine code.
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
 * Builds the tables of one file, from the file itself: a separate debug file has no call frame
 * information. @f must outlive it; its budget is charged for all that the maker does, and
 * -ECANCELED with a text returned where that says to give up. -ENOTSUP with a text for files of
 * other machines, -EFBIG for an implausible size, -EINVAL if unreadable. Owned by the caller.
 */
struct table_maker;
int table_maker_new(const struct elffile *f, struct table_maker **out);
void table_maker_free(struct table_maker *);
/* From now on all rules get @flags (sample/table.h) as well. */
void table_maker_mark(struct table_maker *, uint8_t flags);
/* Of memory that it holds at present, mostly copies of sections of the file. */
uint64_t table_maker_bytes(const struct table_maker *);

/*
 * Builds the table of the code at file offsets [@from, @to): multiples of a page, or 0 and
 * UINT64_MAX. A file without call frame information gets one, too: of its entry point, which has no
 * caller, of its sigreturn stubs, whose frame is known, and of rules derived from its code. About 4
 * bytes per row. -EFBIG with a text for code beyond 4 GiB into the file.
 */
int table_make(struct table_maker *, uint64_t from, uint64_t to, struct table_blob *out);
/* As cfi_frame_at(), for the maker's file. */
bool table_frame(struct table_maker *, uint64_t offset, struct cfi_frame *out);
/* The table of the whole file. */
int table_build(const struct elffile *, struct table_blob *out);
void table_blob_release(struct table_blob *);

#endif
