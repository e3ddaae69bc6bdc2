#include "debuginfo/begin.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

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

/* ELFCOMPRESS_ZSTD, which older headers lack. */
#define ZSTD 2

bool begin_has_zstd(Elf *elf)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (!elf || elf_getshdrstrndx(elf, &names))
		return false;
	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		const char *name = NULL;
		const Elf_Data *data;
		uint32_t type;

		if (gelf_getshdr(section, &header))
			name = elf_strptr(elf, names, header.sh_name);
		if (!name || strcmp(name, ".debug_info") || !(header.sh_flags & SHF_COMPRESSED))
			continue;
		data = elf_rawdata(section, NULL);
		if (!data || !data->d_buf || data->d_size < sizeof(type))
			return false;
		memcpy(&type, data->d_buf, sizeof(type));
		return type == ZSTD;
	}
	return false;
}

/* --- mini debug info -------------------------------------------------------------------------- */

/* Other files are not looked for. */
static int find_nothing(Dwfl_Module *module, void **user, const char *name, Dwarf_Addr base,
			const char *file, const char *link, GElf_Word crc, char **path)
{
	(void)module, (void)user, (void)name, (void)base;
	(void)file, (void)link, (void)crc, (void)path;
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_debuginfo = find_nothing,
	.section_address = dwfl_offline_section_address,
};

/* The file that symbols of @module stand in, if it is not the module's own. */
static Elf *find_other(Dwfl_Module *module)
{
	GElf_Addr bias, address;
	Elf *own = dwfl_module_getelf(module, &bias), *elf = NULL;
	const int n = dwfl_module_getsymtab(module);
	GElf_Sym symbol;

	for (int i = 1; i < n; i++) {
		if (dwfl_module_getsym_info(module, i, &symbol, &address, NULL, &elf, &bias) &&
		    elf != own)
			return elf;
	}
	return NULL;
}

void minidebug_open(const struct elffile *f, struct minidebug *out)
{
	Dwfl_Module *module;
	Elf64_Shdr section;
	int fd;

	*out = (struct minidebug){0};
	if (elffile_section(f, ".gnu_debugdata", &section))
		return;
	fd = fcntl(f->fd, F_DUPFD_CLOEXEC, 0);
	out->dwfl = fd < 0 ? NULL : dwfl_begin(&callbacks);
	module = out->dwfl ? dwfl_report_offline(out->dwfl, "", "", fd) : NULL;
	if (!module && fd >= 0)
		close(fd);
	if (module && !dwfl_report_end(out->dwfl, NULL, NULL))
		out->elf = find_other(module);
}

void minidebug_close(struct minidebug *m)
{
	if (m->dwfl)
		dwfl_end(m->dwfl);
}
