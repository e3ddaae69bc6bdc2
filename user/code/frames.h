/*
 * frames: what a file's call frame information, or a Go program's table, says of its functions:
 * where they start and end, whether unwinders land in them, and where the return address is while
 * they run. Works on untrusted files: time and memory are linear in the size of the sections.
 */
#ifndef ELF_FRAMES_H
#define ELF_FRAMES_H

#include "base/vec.h"
#include "cfi/cfi.h"
#include "cfi/cfi_ranges.h"
#include "cfi/gotab.h"
#include "code/site.h"

struct frames {
	const struct elffile *file; /* borrowed */
	struct cfi *cfi;	    /* NULL: none */
	struct gotab *go;	    /* NULL: no Go program */
	cfi_ranges ranges;
	/* The rows asked for last. */
	VEC(struct cfi_row) rows;
	uint64_t rows_from, rows_to; /* offsets */
};

/* Never fails: what cannot be read has no ranges. @f must outlive it. */
void frames_open(const struct elffile *f, struct frames *out);
void frames_release(struct frames *);

/* A slot of frames whose return address is at a place that is neither rsp nor rbp and a number. */
#define FRAMES_ELSEWHERE INT64_MIN

/* False where nothing is known of the code at @address. */
bool frames_at(struct frames *, uint64_t address, struct site_frame *out);

#endif
