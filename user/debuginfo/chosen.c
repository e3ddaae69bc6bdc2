#include "debuginfo/chosen.h"

#include "code/insn.h"
#include "debuginfo/codesym.h"
#include "debuginfo/function.h"
#include "elf/segments.h"
#include "elf/symbolname.h"

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
