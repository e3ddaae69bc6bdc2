#include "elf/imports.h"

#include <gelf.h>

static void each_of(const struct zonefile *z, Elf_Scn *section, const GElf_Shdr *header,
		    void (*each)(void *context, const char *name), void *context)
{
	Elf_Data *data = elf_getdata(section, NULL);
	const size_t one = gelf_fsize(z->elf, ELF_T_SYM, 1, EV_CURRENT);
	const size_t n = data && one ? data->d_size / one : 0;

	/* gelf_getsym takes an int. */
	for (size_t i = 1; i < n && i < INT32_MAX; i++) {
		const char *name = NULL;
		GElf_Sym sym;

		if (gelf_getsym(data, (int)i, &sym) && sym.st_shndx == SHN_UNDEF)
			name = elf_strptr(z->elf, header->sh_link, sym.st_name);
		if (name)
			each(context, name);
	}
}

void imports_each(const struct zonefile *z, void (*each)(void *context, const char *name),
		  void *context)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(z->elf, section))) {
		GElf_Shdr header;

		if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNSYM)
			each_of(z, section, &header, each, context);
	}
}
