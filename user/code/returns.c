#include "code/returns.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "code/insn.h"
#include "code/returns_ways.h"
#include "elf/segments.h"

/* --- where a file has code, which functions it exports, and where main() is ------------------- */

/* Offsets in the file. */
struct returns_range {
	uint64_t start, end;
};

struct returns_file {
	const struct elffile *elf; /* borrowed */
	VEC(struct returns_range)
	code; /* ascending, disjoint: executable sections; segments where
		 there are no sections */
	VEC(struct returns_range) exports; /* ascending, without their ends */
	uint64_t main;			   /* offset of what the entry point passes on to be called;
					    * 0: not known. With has_code */
	bool has_code, has_exports;	   /* they were looked for */
};

#define MAX_SECTIONS 4096
#define MAX_SYMBOLS  (1u << 18)
#define SYMBOL_STEPS 16

/* The entry point's code up to the call of what calls main(). */
#define ENTRY_BYTES 64

static int ascending(const void *a, const void *b)
{
	const struct returns_range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

/* --- code ----------------------------------------------------------------------------------- */

static void add_code(struct returns_file *x, uint64_t offset, uint64_t bytes)
{
	if (bytes && offset < x->elf->bytes && bytes <= x->elf->bytes - offset)
		vec_push(&x->code, ((struct returns_range){offset, offset + bytes}));
}

/* Some linkers put constants and tables into one segment with the code. */
static void add_sections(struct returns_file *x)
{
	const struct elffile *f = x->elf;
	Elf64_Shdr s;

	for (uint32_t i = 1; i < f->n_sections && i < MAX_SECTIONS; i++) {
		if (elffile_read(f, f->sections_offset + i * sizeof(s), &s, sizeof(s)))
			return;
		if (s.sh_type == SHT_PROGBITS && (s.sh_flags & SHF_EXECINSTR))
			add_code(x, s.sh_offset, s.sh_size);
	}
}

static void add_segments(struct returns_file *x)
{
	for (size_t i = 0; i < x->elf->segments.n; i++) {
		const Elf64_Phdr *p = &x->elf->segments.at[i];

		if (p->p_type == PT_LOAD && (p->p_flags & PF_X))
			add_code(x, p->p_offset, p->p_filesz);
	}
}

/* lea main(%rip), %rdi; mov $main, %rdi; mov $main, %edi: as all crt1.o have it, gcc's and musl's.
 * The address, or 0. */
static uint64_t passes_main(const uint8_t *at, const struct insn *insn)
{
	uint32_t low;
	int32_t wide;

	if (insn->takes && insn->bytes == 7 && at[0] == 0x48 && at[2] == 0x3d)
		return insn->takes;
	memcpy(&low, at + 1, sizeof(low));
	if (insn->bytes == 5 && at[0] == 0xbf)
		return low;
	memcpy(&wide, at + 3, sizeof(wide));
	return insn->bytes == 7 && !memcmp(at, "\x48\xc7\xc7", 3) ? (uint64_t)(int64_t)wide : 0;
}

static void find_main(struct returns_file *x)
{
	uint8_t code[ENTRY_BYTES];
	uint64_t entry, from, main = 0;
	struct insn insn;

	if (elffile_read(x->elf, offsetof(Elf64_Ehdr, e_entry), &entry, sizeof(entry)) ||
	    !segments_offset(x->elf, entry, &from) ||
	    elffile_read(x->elf, from, code, sizeof(code)))
		return;
	for (size_t at = 0; !main && at + 16 <= sizeof(code); at += insn.bytes) {
		if (!insn_read(code + at, sizeof(code) - at, entry + at, &insn))
			return;
		main = passes_main(code + at, &insn);
	}
	if (!main || !segments_offset(x->elf, main, &x->main))
		x->main = 0;
}

static void find_code(struct returns_file *x)
{
	uint64_t end = 0;

	x->has_code = true;
	if (!x->elf->is_64 || x->elf->machine != EM_X86_64)
		return;
	add_sections(x);
	if (!x->code.n)
		add_segments(x);
	if (x->code.n)
		qsort(x->code.at, x->code.n, sizeof(*x->code.at), ascending);
	find_main(x);
	for (size_t i = 0; i < x->code.n; i++) {
		struct returns_range *r = &x->code.at[i];

		r->start = r->start > end ? r->start : end;
		r->end = r->end > r->start ? r->end : r->start;
		end = r->end;
	}
}

/* The first piece of code that reaches into [@from, @to), with its own ends: false where there is
 * none. */
static bool returns_file_code(struct returns_file *x, uint64_t from, uint64_t to,
			      struct returns_range *out)
{
	if (!x->has_code)
		find_code(x);
	for (size_t i = vec_upto(&x->code, end, from); i < x->code.n; i++) {
		*out = x->code.at[i];
		if (out->start < out->end)
			return out->start < to;
	}
	return false;
}

/* --- exports -------------------------------------------------------------------------------- */

static void add_exports(struct returns_file *x, const Elf64_Sym *symbols, size_t n)
{
	const size_t steps = SYMBOL_STEPS + x->elf->segments.n;

	for (size_t i = 0; i < n && budget_steps(x->elf->budget, steps); i++) {
		struct returns_range e = {0};

		if (ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC &&
		    segments_offset(x->elf, symbols[i].st_value, &e.start))
			vec_push(&x->exports, e);
	}
	if (x->exports.n)
		qsort(x->exports.at, x->exports.n, sizeof(*x->exports.at), ascending);
}

static void find_exports(struct returns_file *x)
{
	_free_ Elf64_Sym *symbols = NULL;
	Elf64_Shdr h;
	size_t n;

	x->has_exports = true;
	if (elffile_section(x->elf, ".dynsym", &h) || h.sh_size > x->elf->bytes ||
	    h.sh_size / sizeof(*symbols) > MAX_SYMBOLS)
		return;
	n = h.sh_size / sizeof(*symbols);
	if (!budget_memory(x->elf->budget, n * sizeof(struct returns_range)))
		return;
	symbols = mem_zalloc(n, sizeof(*symbols));
	if (!elffile_read(x->elf, h.sh_offset, symbols, n * sizeof(*symbols)))
		add_exports(x, symbols, n);
}

/* Sets marks[i] for each function that others may call at @from + i; @n marks. */
static void returns_file_mark_exports(struct returns_file *x, uint64_t from, uint8_t *marks,
				      size_t n)
{
	size_t i;

	if (!x->has_exports)
		find_exports(x);
	i = from ? vec_upto(&x->exports, start, from - 1) : 0;
	for (; i < x->exports.n && x->exports.at[i].start - from < n; i++)
		marks[x->exports.at[i].start - from] = 1;
}

static void returns_file_mark_main(const struct returns_file *x, uint64_t from, uint8_t *marks,
				   size_t n)
{
	if (x->main && x->main >= from && x->main - from < n)
		marks[x->main - from] = 1;
}

/* The same for main(), which often is called by address from another part alone, and need not ever
 * return. */
static void returns_file_release(struct returns_file *x)
{
	vec_release(&x->code);
	vec_release(&x->exports);
}

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
