#include "code/returns_file.h"

#include <string.h>

#include "base/mem.h"
#include "code/insn.h"
#include "elf/segments.h"

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

bool returns_file_code(struct returns_file *x, uint64_t from, uint64_t to,
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

void returns_file_mark_exports(struct returns_file *x, uint64_t from, uint8_t *marks, size_t n)
{
	size_t i;

	if (!x->has_exports)
		find_exports(x);
	i = from ? vec_upto(&x->exports, start, from - 1) : 0;
	for (; i < x->exports.n && x->exports.at[i].start - from < n; i++)
		marks[x->exports.at[i].start - from] = 1;
}

void returns_file_mark_main(const struct returns_file *x, uint64_t from, uint8_t *marks, size_t n)
{
	if (x->main && x->main >= from && x->main - from < n)
		marks[x->main - from] = 1;
}

void returns_file_release(struct returns_file *x)
{
	vec_release(&x->code);
	vec_release(&x->exports);
}
