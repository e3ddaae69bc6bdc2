#include "cfi/cfi.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "cfi/cfi_index.h"
#include "cfi/cfi_program.h"

#define MAX_ROWS   (1u << 25)
#define SPAN_STEPS 32

/*
 * A compiler writes a few bytes of program for each instruction that moves the stack pointer, and
 * up to 150 for odd functions (the C library's few bytes to which signal handlers return). A longer
 * program is cut here: one that says nothing in megabytes must not take time, even if thousands of
 * entries share it. At worst 256 KiB of code take 0.3 s. None of 3,721 files of Debian 12 is cut.
 */
#define PROGRAM_BYTES	  256
#define PROGRAM_PER_BYTE  16 /* of the code */
#define MAX_PROGRAM_BYTES (256u << 10)

struct cfi {
	struct cfi_index index;
	cfi_row_fn *row;
	void *context;
	struct cfi_row last; /* the row told last */
	size_t n_rows;
};

static int tell_row(struct cfi *r, const struct cfi_row *row)
{
	if (r->n_rows && !memcmp(&row->cfa, &r->last.cfa, sizeof(row->cfa)) &&
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
		row.ra = s->registers[CFI_RIP];
		row.bp = s->registers[CFI_RBP];
		row.signal = run->signal;
	}
	return tell_row(run->reader, &row);
}

/* Of the entry's program, as far as it can be about @code_bytes of code. */
static size_t program_bytes_of(const struct cfi_span *e, uint64_t code_bytes)
{
	uint64_t most = MAX_PROGRAM_BYTES;

	if (code_bytes < (MAX_PROGRAM_BYTES - PROGRAM_BYTES) / PROGRAM_PER_BYTE)
		most = PROGRAM_BYTES + code_bytes * PROGRAM_PER_BYTE;
	return e->program_bytes < most ? e->program_bytes : most;
}

/* Runs the entry over its code up to @end, an offset; to be told as @to has it. */
static int run_program(const struct cfi_index *x, const struct cfi_span *e, uint64_t end,
		       const struct cfi_code *to)
{
	const struct cfi_common *common = &x->commons.at[e->common];
	const size_t bytes = program_bytes_of(e, end - e->start);
	struct cfi_cursor program = {e->program, e->program + bytes, false};
	struct cfi_code code = {
		.start = e->address,
		.end = e->address + (end - e->start),
		.cie = &common->cie,
		.section = &x->sections[common->section],
		.initial = &common->initial,
		.state = to->state,
		.context = to->context,
	};

	return cfi_program_run(&code, program);
}

static int run_entry(struct cfi *r, const struct cfi_span *e, uint64_t end)
{
	struct running run = {r, e->start - e->address, r->index.commons.at[e->common].cie.signal};

	return run_program(&r->index, e, end,
			   &(struct cfi_code){.state = on_state, .context = &run});
}

/* Runs the entries found, those that start before @to. */
static int run_entries(struct cfi *r, uint64_t from, uint64_t to)
{
	const struct cfi_index *x = &r->index;
	int rc = 0;

	for (size_t i = cfi_index_first(x, from); i < x->spans.n && rc >= 0;) {
		const struct cfi_span *e = &x->spans.at[i];
		uint64_t next = UINT64_MAX;

		if (e->start >= to || !budget_steps(x->budget, SPAN_STEPS))
			break;
		if (++i < x->spans.n)
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

uint64_t cfi_bytes(const struct cfi *r)
{
	const struct cfi_index *x = &r->index;

	return x->sections[0].n + x->sections[1].n + x->table.rows.cap * sizeof(*x->table.rows.at) +
	       x->spans.cap * sizeof(*x->spans.at) + x->commons.cap * sizeof(*x->commons.at);
}

int cfi_rows(struct cfi *r, uint64_t from, uint64_t to, cfi_row_fn *row, void *context)
{
	int rc = cfi_index_find(&r->index, from, to);

	r->row = row;
	r->context = context;
	r->n_rows = 0;
	if (!rc)
		rc = run_entries(r, from, to);
	return !rc && budget_is_over(r->index.budget)
		       ? err(-ECANCELED, "unwind rules that take too long to read")
		       : rc;
}

/* --- one place ------------------------------------------------------------------------------ */

struct finding {
	struct cfi_frame *frame;
	uint64_t at; /* address */
};

/* The last state at or before the place is its own. */
static int on_found(void *context, uint64_t at, const struct cfi_state *s)
{
	const struct finding *f = context;

	if (at > f->at)
		return -ECANCELED;
	f->frame->cfa = s->cfa;
	memcpy(f->frame->registers, s->registers, sizeof(s->registers));
	return 0;
}

/* The entry that holds the place; of those that do the one that starts last, the first of these. */
static const struct cfi_span *find_entry(const struct cfi_index *x, uint64_t offset)
{
	const struct cfi_span *e = x->spans.n ? &x->spans.at[cfi_index_first(x, offset)] : NULL;

	return e && offset >= e->start && offset < e->end ? e : NULL;
}

bool cfi_frame_at(struct cfi *r, uint64_t offset, struct cfi_frame *out)
{
	const struct cfi_span *e = cfi_index_find(&r->index, offset, offset + 1)
					   ? NULL
					   : find_entry(&r->index, offset);
	struct finding f = {.frame = out};
	const struct cfi_section *section;

	*out = (struct cfi_frame){0};
	if (!e)
		return false;
	section = &r->index.sections[r->index.commons.at[e->common].section];
	f.at = e->address + (offset - e->start);
	out->program_bytes = program_bytes_of(e, e->end - e->start);
	out->signal = r->index.commons.at[e->common].cie.signal;
	out->section = section->bytes;
	out->section_bytes = section->n;
	out->budget = section->budget;
	run_program(&r->index, e, e->end, &(struct cfi_code){.state = on_found, .context = &f});
	return out->cfa.how != CFI_NONE;
}
