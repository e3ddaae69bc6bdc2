#include "debuginfo/symtab.h"

#include <stdlib.h>
#include <string.h>

#include "code/insn.h"
#include "debuginfo/codesym.h"
#include "elf/segments.h"
#include "elf/symbolname.h"

static void add_symbol(void *context, const struct codesym *s)
{
	struct symtab *t = context;

	if (!strncmp(s->name, ".L", 2))
		return;
	vec_push(&t->at, ((struct symbol){.start = s->start,
					  .end = s->start + (s->size ? s->size : s->room),
					  .name = s->name,
					  .rank = s->rank,
					  .sized = s->size != 0}));
}

void symtab_add(struct symtab *t, Elf *elf)
{
	codesyms_each(elf, add_symbol, t);
}

static void add_variable(void *context, const GElf_Sym *sym, const char *name)
{
	struct symtab *t = context;

	if (GELF_ST_TYPE(sym->st_info) != STT_OBJECT || !sym->st_size || !name || !name[0] ||
	    sym->st_shndx == SHN_UNDEF || sym->st_shndx >= SHN_LORESERVE ||
	    sym->st_size > UINT64_MAX - sym->st_value)
		return;
	vec_push(&t->at, ((struct symbol){.start = sym->st_value,
					  .end = sym->st_value + sym->st_size,
					  .name = name,
					  .rank = GELF_ST_BIND(sym->st_info) == STB_LOCAL,
					  .sized = true}));
}

void symtab_add_variables(struct symtab *t, Elf *elf)
{
	symbols_each(elf, 1u << SHT_SYMTAB | 1u << SHT_DYNSYM, add_variable, t);
}

static int compare(const void *pa, const void *pb)
{
	const struct symbol *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->sized != b->sized)
		return a->sized ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return strcmp(a->name, b->name);
}

/* One symbol an address; unsized ones only outside of sized ones, and up to the next start. */
static void drop_shadowed(struct symtab *t)
{
	uint64_t sized_end = 0;
	size_t n = 0;

	for (size_t i = 0; i < t->at.n; i++) {
		const struct symbol *s = &t->at.at[i];

		if (n && t->at.at[n - 1].start == s->start)
			continue;
		if (!s->sized && s->start < sized_end)
			continue;
		if (n && !t->at.at[n - 1].sized && t->at.at[n - 1].end > s->start)
			t->at.at[n - 1].end = s->start;
		if (s->sized && s->end > sized_end)
			sized_end = s->end;
		t->at.at[n++] = *s;
	}
	t->at.n = n;
}

struct flat {
	struct symtab out;
	VEC(struct symbol) open; /* those around the present position, innermost last */
	uint64_t at;
};

static void emit(struct flat *f, const struct symbol *s, uint64_t end)
{
	if (end <= f->at)
		return;
	vec_push(&f->out.at, *s);
	f->out.at.at[f->out.at.n - 1].start = f->at;
	f->out.at.at[f->out.at.n - 1].end = end;
	f->at = end;
}

/* Closes what ends at or before @until. */
static void close_until(struct flat *f, uint64_t until)
{
	while (f->open.n && f->open.at[f->open.n - 1].end <= until) {
		emit(f, &f->open.at[f->open.n - 1], f->open.at[f->open.n - 1].end);
		f->open.n--;
	}
}

void symtab_finish(struct symtab *t)
{
	struct flat f = {0};

	if (!t->at.n)
		return;
	qsort(t->at.at, t->at.n, sizeof(*t->at.at), compare);
	drop_shadowed(t);
	for (size_t i = 0; i < t->at.n; i++) {
		const struct symbol *s = &t->at.at[i];

		close_until(&f, s->start);
		if (f.open.n)
			emit(&f, &f.open.at[f.open.n - 1], s->start);
		f.at = s->start;
		vec_push(&f.open, *s);
	}
	close_until(&f, UINT64_MAX);
	vec_release(&f.open);
	vec_release(&t->at);
	*t = f.out;
}

void symtab_release(struct symtab *t)
{
	vec_release(&t->at);
}

const struct symbol *symtab_find(const struct symtab *t, uint64_t address)
{
	const size_t n = vec_upto(&t->at, end, address);

	return n < t->at.n && t->at.at[n].start <= address ? &t->at.at[n] : NULL;
}

/* --- what an IFUNC may choose ----------------------------------------------------------------- */

void chosen_each(const struct code *code, void (*each)(void *context, uint64_t address),
		 void *context)
{
	struct insn insn;

	for (size_t at = 0; at < code->n; at += insn.bytes) {
		if (!insn_read(code->bytes + at, code->n - at, code->address + at, &insn))
			return;
		if (insn.takes)
			each(context, insn.takes);
	}
}

bool chosen_may_be_vdso(const char *name)
{
	/* What glibc's ifunc-vdso and its kin choose for x86-64: sysdeps/unix/sysv/linux. */
	static const char *const names[] = {"time", "gettimeofday", "__gettimeofday",
					    "clock_gettime", "getcpu"};

	return symbolname_is_one_of(name, names, sizeof(names) / sizeof(*names));
}

/* --- as symbols ----------------------------------------------------------------------------- */

struct adding {
	struct symtab *symtab;
	const struct fde_table *fdes;
	const char *bytes; /* of the whole file */
	size_t n_bytes;
	const char *name; /* of the IFUNC at hand */
};

static void add_behind(void *context, uint64_t address)
{
	const struct adding *a = context;
	struct symbol symbol = {.name = a->name, .rank = UINT8_MAX, .sized = true};

	/* Its code takes addresses of tables, too. */
	if (fde_find(a->fdes, address, &symbol.start, &symbol.end) && symbol.start == address)
		vec_push(&a->symtab->at, symbol);
}

static void add_ifunc(void *context, const struct codesym *s)
{
	struct adding *a = context;
	struct code code = {.address = s->start, .n = s->size};

	if (!s->chosen || !segments_offset(a->fdes->file, s->start, &code.offset) ||
	    code.offset > a->n_bytes || code.n > a->n_bytes - code.offset)
		return;
	code.bytes = (const uint8_t *)a->bytes + code.offset;
	a->name = s->name;
	chosen_each(&code, add_behind, a);
}

void chosen_add(struct symtab *symtab, Elf *elf, const struct fde_table *fdes)
{
	struct adding a = {.symtab = symtab, .fdes = fdes};

	a.bytes = elf_rawfile(elf, &a.n_bytes);
	if (a.bytes)
		codesyms_each(elf, add_ifunc, &a);
}
