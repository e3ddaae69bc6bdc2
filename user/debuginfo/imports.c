#include "debuginfo/imports.h"

#include "debuginfo/codesym.h"

struct walk {
	void (*each)(void *context, const char *name);
	void *context;
};

static void take(void *context, const GElf_Sym *sym, const char *name)
{
	const struct walk *w = context;

	if (sym->st_shndx == SHN_UNDEF && name)
		w->each(w->context, name);
}

void imports_each(const struct zonefile *z, void (*each)(void *context, const char *name),
		  void *context)
{
	struct walk w = {each, context};

	symbols_each(z->elf, 1u << SHT_DYNSYM, take, &w);
}
