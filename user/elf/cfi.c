#include "elf/cfi.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "elf/cfi_index.h"
#include "elf/cfi_program.h"

#define MAX_ROWS (1u << 25)

struct cfi {
	struct cfi_index index;
	cfi_row_fn *row;
	void *context;
	struct cfi_row last; /* the row told last */
	size_t n_rows;
	bool tells_all; /* neighbours too that do not differ */
};

static int tell_row(struct cfi *r, const struct cfi_row *row)
{
	if (r->n_rows && !r->tells_all && !memcmp(&row->cfa, &r->last.cfa, sizeof(row->cfa)) &&
	    !memcmp(&row->ra, &r->last.ra, sizeof(row->ra)) &&
	    !memcmp(&row->bp, &r->last.bp, sizeof(row->bp)) && row->signal == r->last.signal)
		return 0;
	if (r->n_rows++ == MAX_ROWS)
		return err(-EFBIG, "call frame information of over %u rows", MAX_ROWS);
	r->last = *row;
	return r->row(r->context, row);
}

/* Where an entry stands while it runs. */
struct running {
	struct cfi *reader;
	uint64_t to_offset; /* file offset minus address */
	bool signal;
};

static int on_state(void *context, uint64_t at, const struct cfi_state *s)
{
	const struct running *run = context;
	struct cfi_row row = {.offset = at + run->to_offset};

	if (s->cfa.how != CFI_NONE) {
		row.cfa = s->cfa;
		row.ra = s->ra;
		row.bp = s->bp;
		row.bx = s->bx;
		row.signal = run->signal;
	}
	return tell_row(run->reader, &row);
}

/* Runs the entry over its code up to @end, an offset. */
static int run_entry(struct cfi *r, const struct cfi_span *e, uint64_t end)
{
	const struct cfi_common *common = &r->index.commons.at[e->common];
	struct cfi_cursor program = {e->program, e->program + e->program_bytes, false};
	struct running run = {r, e->start - e->address, common->cie.signal};
	struct cfi_code code = {
		.start = e->address,
		.end = e->address + (end - e->start),
		.cie = &common->cie,
		.section = &r->index.sections[common->section],
		.initial = &common->initial,
		.state = on_state,
		.context = &run,
	};

	return cfi_program_run(&code, program);
}

/* Runs the entries found, those that start before @to. */
static int run_entries(struct cfi *r, uint64_t from, uint64_t to)
{
	const struct cfi_index *x = &r->index;
	int rc = 0;

	for (size_t i = cfi_index_first(x, from); i < x->spans.n && rc >= 0;) {
		const struct cfi_span *e = &x->spans.at[i];
		uint64_t next = UINT64_MAX;

		if (e->start >= to)
			break;
		for (i++; i < x->spans.n && x->spans.at[i].start == e->start;)
			i++;
		if (i < x->spans.n)
			next = x->spans.at[i].start;
		rc = run_entry(r, e, e->end < next ? e->end : next);
		if (rc >= 0 && e->end < next)
			rc = tell_row(r, &(struct cfi_row){.offset = e->end});
	}
	return rc < 0 ? rc : 0;
}

int cfi_open(const struct elffile *f, struct cfi **out)
{
	struct cfi *r = mem_zalloc(1, sizeof(*r));
	int rc = cfi_index_open(f, &r->index);

	if (rc) {
		free(r);
		return rc;
	}
	*out = r;
	return 0;
}

void cfi_close(struct cfi *r)
{
	if (r)
		cfi_index_release(&r->index);
	free(r);
}

int cfi_rows(struct cfi *r, uint64_t from, uint64_t to, cfi_row_fn *row, void *context)
{
	int rc = cfi_index_find(&r->index, from, to);

	r->row = row;
	r->context = context;
	r->n_rows = 0;
	return rc ? rc : run_entries(r, from, to);
}

struct finding {
	uint64_t offset;
	struct cfi_row row; /* the last at or before it */
};

static int on_found(void *context, const struct cfi_row *row)
{
	struct finding *f = context;

	if (row->offset <= f->offset)
		f->row = *row;
	return 0;
}

bool cfi_saved_rbx(struct cfi *r, uint64_t offset, struct cfi_value *out)
{
	struct finding f = {.offset = offset};
	int rc;

	r->tells_all = true;
	rc = cfi_rows(r, offset, offset + 1, on_found, &f);
	r->tells_all = false;
	*out = f.row.bx;
	return !rc && f.row.cfa.how != CFI_NONE;
}
