#include "elf/frames.h"

#include <stdlib.h>

#include "base/hash.h"
#include "elf/cfi_entry.h"
#include "elf/segments.h"

/* Ten times what the largest programs have. */
#define MAX_RANGES (1u << 22)

/* Rows are read for so many bytes of code at once: those of a few functions. */
#define ROWS_BYTES 4096

/* --- ranges --------------------------------------------------------------------------------- */

struct reading {
	struct frames *frames;
	struct cfi_section section;
	VEC(struct cfi_cie) cies;
	struct map by_place; /* offset of a CIE → cies */
};

static void take_cie(struct reading *r, const struct cfi_entry *e)
{
	struct cfi_cie cie;
	bool fresh;

	if (!cfi_cie_read(e, &cie))
		return;
	*map_put(&r->by_place, e->at, &fresh) = (uint32_t)r->cies.n;
	vec_push(&r->cies, cie);
}

static void take_fde(struct reading *r, const struct cfi_entry *e)
{
	const uint32_t *cie = map_get(&r->by_place, e->cie_at);
	struct cfi_fde fde;

	if (!cie || !cfi_fde_read(&r->section, e, &r->cies.at[*cie], &fde) || !fde.bytes ||
	    fde.start + fde.bytes < fde.start || r->frames->ranges.n == MAX_RANGES)
		return;
	vec_push(&r->frames->ranges,
		 ((struct frames_range){fde.start, fde.start + fde.bytes, fde.lsda}));
}

static int by_start(const void *pa, const void *pb)
{
	const struct frames_range *a = pa, *b = pb;

	return a->start < b->start ? -1 : a->start > b->start;
}

static void read_ranges(struct frames *f)
{
	struct reading r = {.frames = f};
	struct cfi_entry e;

	if (cfi_section_eh(f->file, &r.section))
		return;
	for (size_t at = 0; cfi_entry_next(&r.section, &at, &e);) {
		if (e.is_cie)
			take_cie(&r, &e);
		else
			take_fde(&r, &e);
	}
	if (f->ranges.n)
		qsort(f->ranges.at, f->ranges.n, sizeof(*f->ranges.at), by_start);
	vec_release(&r.cies);
	map_release(&r.by_place);
	cfi_section_release(&r.section);
}

const struct frames_range *frames_range(const struct frames *f, uint64_t address)
{
	const size_t n = vec_upto(&f->ranges, start, address);

	return n && address < f->ranges.at[n - 1].end ? &f->ranges.at[n - 1] : NULL;
}

/* --- rows ----------------------------------------------------------------------------------- */

static int take_row(void *context, const struct cfi_row *row)
{
	struct frames *f = context;

	vec_push(&f->rows, *row);
	return 0;
}

static void read_rows(struct frames *f, uint64_t offset)
{
	uint64_t go_start = 0, go_end = 0;

	f->rows.n = 0;
	f->rows_from = offset;
	f->rows_to = offset + ROWS_BYTES;
	if (f->go)
		gotab_range(f->go, &go_start, &go_end);
	/* A Go program with C in it has both, each for its own code. */
	if (offset >= go_start && offset < go_end) {
		f->rows_to = f->rows_to < go_end ? f->rows_to : go_end;
		gotab_rows(f->go, f->rows_from, f->rows_to, take_row, f);
	} else if (f->cfi) {
		cfi_rows(f->cfi, f->rows_from, f->rows_to, take_row, f);
	}
}

/* The last row at or before @offset. */
static const struct cfi_row *find_row(const struct frames *f, uint64_t offset)
{
	const size_t n = vec_upto(&f->rows, offset, offset);

	return n ? &f->rows.at[n - 1] : NULL;
}

bool frames_at(struct frames *f, uint64_t address, struct site_frame *out)
{
	const struct cfi_row *row;
	uint64_t offset;

	if ((!f->go && !f->cfi) || !segments_offset(f->file, address, &offset))
		return false;
	if (offset < f->rows_from || offset >= f->rows_to)
		read_rows(f, offset);
	row = find_row(f, offset);
	if (!row || row->cfa.how == CFI_NONE)
		return false;
	*out = (struct site_frame){.no_caller = row->ra.how == CFI_UNDEFINED,
				   .slot = FRAMES_ELSEWHERE};
	if (row->cfa.how == CFI_REG && row->ra.how == CFI_AT_CFA &&
	    (row->cfa.reg == CFI_RSP || row->cfa.reg == CFI_RBP)) {
		out->by_rbp = row->cfa.reg == CFI_RBP;
		out->slot = (int64_t)row->cfa.offset + row->ra.offset;
	}
	return true;
}

/* --- both ----------------------------------------------------------------------------------- */

void frames_open(const struct elffile *file, struct frames *out)
{
	*out = (struct frames){.file = file};
	out->go = gotab_open(file);
	if (cfi_open(file, &out->cfi))
		out->cfi = NULL;
	read_ranges(out);
}

void frames_release(struct frames *f)
{
	cfi_close(f->cfi);
	gotab_close(f->go);
	vec_release(&f->ranges);
	vec_release(&f->rows);
}
