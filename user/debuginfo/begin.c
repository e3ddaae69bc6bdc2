#include "debuginfo/begin.h"

#include <gelf.h>
#include <stdbool.h>
#include <string.h>

static bool is_needless(const char *section)
{
	static const char *const needless[] = {".debug_loc", ".debug_loclists", ".debug_macro",
					       ".debug_frame", ".debug_names"};

	for (size_t i = 0; section && i < sizeof(needless) / sizeof(*needless); i++) {
		if (!strcmp(section, needless[i]))
			return true;
	}
	return false;
}

/* libdw inflates every section of DWARF that it knows when it opens a file, which takes most of the
 * time. Those that name nothing are made out to hold nothing, in our own copy of the headers. */
static void hide_needless(Elf *elf)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;

		if (!gelf_getshdr(section, &header) ||
		    !is_needless(elf_strptr(elf, names, header.sh_name)))
			continue;
		header.sh_type = SHT_NOBITS;
		gelf_update_shdr(section, &header);
	}
}

Elf *begin_elf(int fd)
{
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP_PRIVATE, NULL);
	if (elf && elf_kind(elf) != ELF_K_ELF) {
		elf_end(elf);
		return NULL;
	}
	if (elf)
		hide_needless(elf);
	return elf;
}
