#include "debuginfo/plt.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

/* A relocation that puts a function's address in a slot of the GOT. */
struct slot {
	uint64_t address;
	const char *name;
	bool stored; /* no slot of the GOT */
};

struct slots {
	VEC(struct slot) at;
};

static bool is_plt_name(const char *name)
{
	return !strcmp(name, ".plt") || !strcmp(name, ".plt.sec") || !strcmp(name, ".plt.got");
}

static const char *symbol_name(Elf *elf, uint32_t table_index, uint32_t symbol_index)
{
	Elf_Scn *section = elf_getscn(elf, table_index);
	GElf_Shdr header;
	Elf_Data *data;
	GElf_Sym sym;

	if (!symbol_index || symbol_index > INT32_MAX || !section ||
	    !gelf_getshdr(section, &header) || header.sh_type != SHT_DYNSYM)
		return NULL;
	data = elf_getdata(section, NULL);
	if (!data || !gelf_getsym(data, (int)symbol_index, &sym))
		return NULL;
	return elf_strptr(elf, header.sh_link, sym.st_name);
}

static void add_relocations(struct slots *slots, Elf *elf, Elf_Scn *section,
			    const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	const size_t one = gelf_fsize(elf, ELF_T_RELA, 1, EV_CURRENT);
	size_t n = data && one ? data->d_size / one : 0;

	for (size_t i = 0; i < n && i < INT32_MAX; i++) {
		const char *name;
		GElf_Rela rela;
		uint64_t type;

		if (!gelf_getrela(data, (int)i, &rela))
			continue;
		type = GELF_R_TYPE(rela.r_info);
		if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT && type != R_X86_64_64)
			continue;
		name = symbol_name(elf, header->sh_link, (uint32_t)GELF_R_SYM(rela.r_info));
		if (name && name[0])
			vec_push(&slots->at,
				 ((struct slot){rela.r_offset, name, type == R_X86_64_64}));
	}
}

static int compare(const void *pa, const void *pb)
{
	const struct slot *a = pa, *b = pb;

	return a->address < b->address ? -1 : a->address > b->address;
}

static const char *slot_name(const struct slots *slots, uint64_t address)
{
	const struct slot key = {.address = address};
	const struct slot *found = NULL;

	if (slots->at.n)
		found = bsearch(&key, slots->at.at, slots->at.n, sizeof(key), compare);
	return found ? found->name : NULL;
}

/* The slot that the stub in @code at @address jumps through: "jmp *disp32(%rip)" within it. */
static bool stub_slot(const uint8_t *code, size_t n, uint64_t address, uint64_t *slot)
{
	for (size_t i = 0; i + 6 <= n; i++) {
		int32_t displacement;

		if (code[i] != 0xff || code[i + 1] != 0x25)
			continue;
		memcpy(&displacement, code + i + 2, sizeof(displacement));
		*slot = address + i + 6 + (uint64_t)(int64_t)displacement;
		return true;
	}
	return false;
}

struct walk {
	struct slots slots;
	void (*each)(void *context, const char *name, uint64_t start, uint64_t n);
	void *context;
};

static void each_stub(const struct walk *w, Elf_Scn *section, const GElf_Shdr *header)
{
	const Elf_Data *data = elf_rawdata(section, NULL);
	const size_t stub = header->sh_entsize == 8 ? 8 : 16;

	if (!data || !data->d_buf)
		return;
	for (size_t at = 0; at + stub <= data->d_size; at += stub) {
		const uint64_t address = header->sh_addr + at;
		const char *name = NULL;
		uint64_t slot;

		if (stub_slot((const uint8_t *)data->d_buf + at, stub, address, &slot))
			name = slot_name(&w->slots, slot);
		if (name)
			w->each(w->context, name, address, stub);
	}
}

/* Calls @each for the sections of type @type. */
static void each_section(Elf *elf, uint32_t type,
			 void (*each)(void *context, Elf *, Elf_Scn *, const GElf_Shdr *),
			 void *context)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;

		if (gelf_getshdr(section, &header) && header.sh_type == type)
			each(context, elf, section, &header);
	}
}

static void take_relocations(void *context, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	struct walk *w = context;

	add_relocations(&w->slots, elf, section, header);
}

static void take_stubs(void *context, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	struct walk *w = context;
	const char *name = NULL;
	size_t names;

	if (!elf_getshdrstrndx(elf, &names))
		name = elf_strptr(elf, names, header->sh_name);
	if (name && is_plt_name(name))
		each_stub(w, section, header);
}

static bool is_ours(Elf *elf)
{
	GElf_Ehdr header;

	return gelf_getehdr(elf, &header) && header.e_machine == EM_X86_64;
}

void plt_slots_each(Elf *elf,
		    void (*each)(void *context, const char *name, uint64_t slot, bool stored),
		    void *context)
{
	struct walk w = {0};

	if (!is_ours(elf))
		return;
	each_section(elf, SHT_RELA, take_relocations, &w);
	for (size_t i = 0; i < w.slots.at.n; i++)
		each(context, w.slots.at.at[i].name, w.slots.at.at[i].address,
		     w.slots.at.at[i].stored);
	vec_release(&w.slots.at);
}

void plt_each(Elf *elf, void (*each)(void *context, const char *name, uint64_t start, uint64_t n),
	      void *context)
{
	struct walk w = {.each = each, .context = context};

	if (!is_ours(elf))
		return;
	each_section(elf, SHT_RELA, take_relocations, &w);
	if (w.slots.at.n) {
		qsort(w.slots.at.at, w.slots.at.n, sizeof(*w.slots.at.at), compare);
		each_section(elf, SHT_PROGBITS, take_stubs, &w);
	}
	vec_release(&w.slots.at);
}

static void add_symbol(void *context, const char *name, uint64_t start, uint64_t n)
{
	struct symtab *t = context;

	vec_push(&t->at, ((struct symbol){.start = start,
					  .end = start + n,
					  .name = name,
					  .sized = true,
					  .plt = true}));
}

void plt_add(struct symtab *t, Elf *elf)
{
	plt_each(elf, add_symbol, t);
}
