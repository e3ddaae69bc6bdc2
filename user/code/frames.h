/*
 * frames: where functions start and end, whether they have landing pads, and where the return
 * address is while they run, by a file's call frame information or a Go program's table. Works on
 * untrusted files: time and memory are linear in the size of the sections.
 */
#ifndef CODE_FRAMES_H
#define CODE_FRAMES_H

#include "base/vec.h"
#include "cfi/cfi.h"
#include "cfi/fde.h"
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

/* The slot of a frame whose return address is not at a constant distance from rsp or rbp. */
#define FRAMES_ELSEWHERE INT64_MIN

/* False where nothing is known of the code at @address. */
bool frames_at(struct frames *, uint64_t address, struct site_frame *out);

#endif
