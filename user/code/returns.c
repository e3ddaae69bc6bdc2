#include "code/returns.h"

#include <errno.h>

#include "base/mem.h"
#include "code/returns_file.h"
#include "code/returns_ways.h"

#define MAX_CODE (1u << 20)

/* Code around the part that is asked for: functions reach over its ends. */
#define BEFORE 256
#define BEHIND 8192

/* In a smaller part the ways are short, and most are found without the exports, which may be
 * thousands. */
#define EXPORTS_FROM 16384

struct returns {
	struct returns_file file;
};

/* A part of one piece of code. */
struct reading {
	uint64_t from, to; /* offsets of what is asked for */
	uint64_t start;	   /* of bytes, which reach over both */
	size_t n;
	uint8_t *bytes;
};

struct returns *returns_new(const struct elffile *f)
{
	struct returns *x = mem_zalloc(1, sizeof(*x));

	x->file.elf = f;
	return x;
}

void returns_free(struct returns *x)
{
	if (x)
		returns_file_release(&x->file);
	free(x);
}

/* --- rows ----------------------------------------------------------------------------------- */

static int tell_nothing(uint64_t offset, cfi_row_fn *row, void *context)
{
	return row(context, &(struct cfi_row){.offset = offset});
}

/* The return address stands below the CFA, and what rbp points to below that. */
static struct cfi_row row_of(const struct returns_frame *f, uint64_t offset)
{
	const bool by_rsp = f->way == RETURNS_BY_RSP;
	struct cfi_row row = {.offset = offset};

	if (f->way == RETURNS_DIFFER || f->cfa < (by_rsp ? 8 : 16))
		return row;
	row.cfa = (struct cfi_value){
		.how = CFI_REG, .reg = by_rsp ? CFI_RSP : CFI_RBP, .offset = f->cfa};
	row.ra = (struct cfi_value){.how = CFI_AT_CFA, .offset = -8};
	if (f->bp == RETURNS_RBP_AT_CFA)
		row.bp = (struct cfi_value){.how = CFI_AT_CFA, .offset = f->bp_offset};
	else
		row.bp.how = f->bp == RETURNS_RBP_SAME ? CFI_SAME : CFI_UNDEFINED;
	return row;
}

static bool says_the_same(const struct cfi_row *a, const struct cfi_row *b)
{
	return !memcmp(&a->cfa, &b->cfa, sizeof(a->cfa)) && !memcmp(&a->bp, &b->bp, sizeof(a->bp));
}

static int tell(const struct reading *r, const struct returns_code *code,
		const struct returns_frame *frames, cfi_row_fn *row, void *context)
{
	struct cfi_row last = {0};
	bool told = false;
	int rc = 0;

	for (size_t i = 0; i < code->steps.n && rc >= 0; i++) {
		const struct returns_step *s = &code->steps.at[i];
		struct cfi_row now = row_of(&frames[i], r->start + s->at);

		if (now.offset >= r->to)
			break;
		if (now.offset + s->bytes <= r->from)
			continue;
		if (now.offset < r->from)
			now.offset = r->from;
		if (told && says_the_same(&now, &last))
			continue;
		told = true;
		last = now;
		rc = row(context, &now);
	}
	return rc;
}

/* --- parts ---------------------------------------------------------------------------------- */

static bool tells(const struct returns *x, struct reading *r)
{
	r->bytes = mem_zalloc(r->n, 1);
	return !elffile_read(x->file.elf, r->start, r->bytes, r->n) &&
	       returns_code_tells(r->bytes + (r->from - r->start), r->to - r->from,
				  x->file.elf->budget);
}

static int read_rows(struct returns *x, struct reading *r, cfi_row_fn *row, void *context)
{
	struct returns_frame *frames;
	struct returns_code code;
	int rc;

	if (!tells(x, r))
		return tell_nothing(r->from, row, context);
	returns_code_read(r->bytes, r->n, x->file.elf->budget, &code);
	returns_file_mark_main(&x->file, r->start, code.starts, code.n);
	if (r->n >= EXPORTS_FROM)
		returns_file_mark_exports(&x->file, r->start, code.starts, code.n);
	frames = returns_follow(&code);
	rc = budget_is_over(code.budget) ? -ECANCELED : tell(r, &code, frames, row, context);
	free(frames);
	returns_code_release(&code);
	return rc;
}

static uint64_t lower(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* The rows of @part from @from on that lie in @code. */
static int code_rows(struct returns *x, const struct returns_part *part, uint64_t from,
		     const struct returns_range *code, cfi_row_fn *row, void *context)
{
	struct reading r = {.from = from, .to = lower(part->to, code->end)};
	const uint64_t before = part->cut_before && from == part->from ? BEFORE : 0;
	const uint64_t behind = part->cut_behind && r.to == part->to ? BEHIND : 0;
	int rc;

	r.start = from - lower(before, from - code->start);
	r.n = r.to + lower(behind, code->end - r.to) - r.start;
	rc = read_rows(x, &r, row, context);
	free(r.bytes);
	return rc;
}

int returns_rows(struct returns *x, const struct returns_part *part, cfi_row_fn *row, void *context)
{
	uint64_t at = part->from;
	struct returns_range code;
	int rc = 0;

	if (part->from >= part->to || part->to - part->from > MAX_CODE)
		return tell_nothing(part->from, row, context);
	while (at < part->to && rc >= 0) {
		if (!returns_file_code(&x->file, at, part->to, &code))
			return tell_nothing(at, row, context);
		if (code.start > at) {
			rc = tell_nothing(at, row, context);
			at = code.start;
		}
		if (rc >= 0)
			rc = code_rows(x, part, at, &code, row, context);
		at = code.end;
	}
	return rc;
}
