#include "debuginfo/codesym.h"

#include <string.h>

/* Ranks add up: what makes a name worse weighs more the further up it stands. */
#define RANK_UNDERSCORE 1 /* each, up to 7 */
#define RANK_LOCAL	8
#define RANK_LABEL	16

/* --- tables --------------------------------------------------------------------------------- */

static void each_of(Elf *elf, Elf_Scn *section, const GElf_Shdr *header,
		    void (*each)(void *context, const GElf_Sym *, const char *name), void *context)
{
	Elf_Data *data = elf_getdata(section, NULL);
	const size_t one = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
	const size_t n = data && one ? data->d_size / one : 0;

	/* gelf_getsym takes an int. */
	for (size_t i = 1; i < n && i < INT32_MAX; i++) {
		GElf_Sym sym;

		if (gelf_getsym(data, (int)i, &sym))
			each(context, &sym, elf_strptr(elf, header->sh_link, sym.st_name));
	}
}

uint32_t symbols_each(Elf *elf, uint32_t types,
		      void (*each)(void *context, const GElf_Sym *, const char *name),
		      void *context)
{
	Elf_Scn *section = NULL;
	uint32_t found = 0;

	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;

		if (!gelf_getshdr(section, &header) || header.sh_type >= 32 ||
		    !(types & 1u << header.sh_type))
			continue;
		found |= 1u << header.sh_type;
		each_of(elf, section, &header, each, context);
	}
	return found;
}

/* --- code ----------------------------------------------------------------------------------- */

/* Where the section of code that @sym is defined in ends; 0: in none. */
static uint64_t code_limit(Elf *elf, const GElf_Sym *sym)
{
	GElf_Shdr header;
	Elf_Scn *section;

	if (sym->st_shndx == SHN_UNDEF || sym->st_shndx >= SHN_LORESERVE)
		return 0;
	section = elf_getscn(elf, sym->st_shndx);
	if (!section || !gelf_getshdr(section, &header) || !(header.sh_flags & SHF_EXECINSTR))
		return 0;
	if (sym->st_value < header.sh_addr || sym->st_value - header.sh_addr >= header.sh_size)
		return 0;
	return header.sh_addr + header.sh_size;
}

static uint8_t rank_of(const struct codesym *s)
{
	const size_t underscores = strspn(s->name, "_");

	return (uint8_t)(RANK_UNDERSCORE * (underscores < 7 ? underscores : 7) +
			 (s->local ? RANK_LOCAL : 0) + (s->label ? RANK_LABEL : 0));
}

struct walk {
	Elf *elf;
	void (*each)(void *context, const struct codesym *);
	void *context;
};

static void take(void *context, const GElf_Sym *sym, const char *name)
{
	const int type = GELF_ST_TYPE(sym->st_info);
	const struct walk *w = context;
	struct codesym s = {.name = name,
			    .start = sym->st_value,
			    .local = GELF_ST_BIND(sym->st_info) == STB_LOCAL,
			    .label = type == STT_NOTYPE,
			    .chosen = type == STT_GNU_IFUNC};
	uint64_t limit;

	if ((type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) || !name || !name[0])
		return;
	limit = code_limit(w->elf, sym);
	if (!limit)
		return;
	s.room = limit - s.start;
	s.size = sym->st_size < s.room ? sym->st_size : s.room;
	s.rank = rank_of(&s);
	w->each(w->context, &s);
}

bool codesyms_each(Elf *elf, void (*each)(void *context, const struct codesym *), void *context)
{
	struct walk w = {.elf = elf, .each = each, .context = context};

	return symbols_each(elf, 1u << SHT_SYMTAB | 1u << SHT_DYNSYM, take, &w) & 1u << SHT_SYMTAB;
}

/* --- imports -------------------------------------------------------------------------------- */

struct imports {
	void (*each)(void *context, const char *name);
	void *context;
};

static void take_import(void *context, const GElf_Sym *sym, const char *name)
{
	const struct imports *i = context;

	if (sym->st_shndx == SHN_UNDEF && name)
		i->each(i->context, name);
}

void imports_each(Elf *elf, void (*each)(void *context, const char *name), void *context)
{
	struct imports i = {each, context};

	symbols_each(elf, 1u << SHT_DYNSYM, take_import, &i);
}
