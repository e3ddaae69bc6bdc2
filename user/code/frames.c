#include "code/frames.h"

#include "elf/segments.h"

/* Rows are read for so many bytes of code at once: those of a few functions. */
#define ROWS_BYTES 4096

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
	cfi_ranges_read(file, &out->ranges);
}

void frames_release(struct frames *f)
{
	cfi_close(f->cfi);
	gotab_close(f->go);
	vec_release(&f->ranges);
	vec_release(&f->rows);
}
