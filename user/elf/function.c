#include "elf/function.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

/* Ranks add up, as symtab's do. */
#define RANK_UNDERSCORE 1 /* each, up to 7 */
#define RANK_LOCAL	8
#define RANK_LABEL	16

size_t function_name_bytes(const char *text)
{
	return strcspn(text, "@");
}

/* --- symbol tables -------------------------------------------------------------------------- */

static uint8_t rank_of(const GElf_Sym *sym, const char *name)
{
	const size_t underscores = strspn(name, "_");
	uint8_t rank = (uint8_t)(RANK_UNDERSCORE * (underscores < 7 ? underscores : 7));

	if (GELF_ST_BIND(sym->st_info) == STB_LOCAL)
		rank += RANK_LOCAL;
	if (GELF_ST_TYPE(sym->st_info) == STT_NOTYPE)
		rank += RANK_LABEL;
	return rank;
}

/* Labels of assembly count where they are meant for others. */
static bool is_function(const GElf_Sym *sym)
{
	switch (GELF_ST_TYPE(sym->st_info)) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		return true;
	case STT_NOTYPE:
		return GELF_ST_BIND(sym->st_info) != STB_LOCAL;
	default:
		return false;
	}
}

/* Code that was moved out of @name's function: "name.cold", "name.cold.3". */
static bool is_part(const char *name)
{
	const char *cold = strstr(name, ".cold");

	return cold && cold > name && (cold[5] == '\0' || cold[5] == '.');
}

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

static void add_symbol(struct functions *f, Elf *elf, const GElf_Sym *sym, const char *text)
{
	struct function_name name = {.text = text, .address = sym->st_value};
	uint64_t limit;

	if (!text || !text[0] || text[0] == '@' || text[0] == '.' || text[0] == '$' ||
	    !is_function(sym))
		return;
	limit = code_limit(elf, sym);
	if (!limit)
		return;
	name.room = limit - sym->st_value;
	name.size = sym->st_size < name.room ? sym->st_size : name.room;
	name.rank = rank_of(sym, text);
	name.label = GELF_ST_TYPE(sym->st_info) == STT_NOTYPE;
	name.chosen = GELF_ST_TYPE(sym->st_info) == STT_GNU_IFUNC;
	if (is_part(text))
		vec_push(&f->parts, name);
	else
		vec_push(&f->names, name);
}

static void add_table(struct functions *f, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	const size_t one = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
	const size_t n = data && one ? data->d_size / one : 0;

	/* gelf_getsym takes an int. */
	for (size_t i = 1; i < n && i < INT32_MAX; i++) {
		GElf_Sym sym;

		if (gelf_getsym(data, (int)i, &sym))
			add_symbol(f, elf, &sym, elf_strptr(elf, header->sh_link, sym.st_name));
	}
}

void functions_add(struct functions *f, Elf *elf)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;

		if (!gelf_getshdr(section, &header) ||
		    (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
			continue;
		f->has_symtab |= header.sh_type == SHT_SYMTAB;
		add_table(f, elf, section, &header);
	}
}

static void add_go(void *context, const char *name, uint64_t start, uint64_t end)
{
	struct functions *f = context;

	if (name[0])
		vec_push(&f->names, ((struct function_name){.text = name,
							    .address = start,
							    .size = end - start,
							    .room = end - start}));
}

/* --- joining -------------------------------------------------------------------------------- */

static int compare_names(const void *pa, const void *pb)
{
	const struct function_name *a = pa, *b = pb;
	size_t na, nb;
	int differ;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	na = function_name_bytes(a->text);
	nb = function_name_bytes(b->text);
	differ = strncmp(a->text, b->text, na < nb ? na : nb);
	return differ ? differ : na < nb ? -1 : na > nb;
}

static bool same_name(const struct function_name *a, const struct function_name *b)
{
	const size_t n = function_name_bytes(a->text);

	return a->address == b->address && n == function_name_bytes(b->text) &&
	       !strncmp(a->text, b->text, n);
}

/* Both tables of a file have its exports. */
static void drop_doubles(struct functions *f)
{
	size_t n = 0;

	for (size_t i = 0; i < f->names.n; i++) {
		struct function_name *last = n ? &f->names.at[n - 1] : NULL;

		if (last && same_name(last, &f->names.at[i])) {
			last->size = last->size ? last->size : f->names.at[i].size;
			last->chosen |= f->names.at[i].chosen;
			continue;
		}
		f->names.at[n++] = f->names.at[i];
	}
	f->names.n = n;
}

static void add_function(struct functions *f, uint32_t first, uint32_t n)
{
	struct function out = {
		.address = f->names.at[first].address, .first = first, .n = n, .label = true};

	for (uint32_t i = first; i < first + n; i++) {
		const struct function_name *name = &f->names.at[i];

		out.size = name->size > out.size ? name->size : out.size;
		out.room = name->room > out.room ? name->room : out.room;
		out.chosen |= name->chosen;
		out.label &= name->label;
	}
	vec_push(&f->at, out);
}

static uint64_t guess_size(const struct functions *f, size_t i, const struct frames *frames)
{
	const uint64_t address = f->at.at[i].address;
	const struct frames_range *range = frames_range(frames, address);
	uint64_t size = f->at.at[i].room;

	if (i + 1 < f->at.n && f->at.at[i + 1].address - address < size)
		size = f->at.at[i + 1].address - address;
	if (range && range->end - address < size)
		size = range->end - address;
	return size;
}

static void join_names(struct functions *f)
{
	uint64_t sized_end = 0;

	for (size_t i = 0, next; i < f->names.n; i = next) {
		const struct function *last;

		for (next = i + 1;
		     next < f->names.n && f->names.at[next].address == f->names.at[i].address;)
			next++;
		add_function(f, (uint32_t)i, (uint32_t)(next - i));
		last = &f->at.at[f->at.n - 1];
		/* Labels inside of functions are no functions. */
		if (last->label && last->address < sized_end)
			f->at.n--;
		else if (last->address + last->size > sized_end)
			sized_end = last->address + last->size;
	}
}

static int compare_parts(const void *pa, const void *pb)
{
	const struct function_name *a = pa, *b = pb;

	return a->address < b->address ? -1 : a->address > b->address;
}

void functions_finish(struct functions *f, struct frames *frames)
{
	if (!f->has_symtab && frames->go) {
		f->has_symtab = true;
		gotab_functions(frames->go, add_go, f);
	}
	if (f->names.n)
		qsort(f->names.at, f->names.n, sizeof(*f->names.at), compare_names);
	if (f->parts.n)
		qsort(f->parts.at, f->parts.n, sizeof(*f->parts.at), compare_parts);
	drop_doubles(f);
	join_names(f);
	for (size_t i = 0; i < f->at.n; i++) {
		if (!f->at.at[i].size)
			f->at.at[i].size = guess_size(f, i, frames);
	}
}

void functions_release(struct functions *f)
{
	vec_release(&f->at);
	vec_release(&f->names);
	vec_release(&f->parts);
}

/* --- looking up ----------------------------------------------------------------------------- */

const struct function *functions_around(const struct functions *f, uint64_t address)
{
	size_t low = 0, high = f->at.n;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;

		if (f->at.at[mid].address <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low && address - f->at.at[low - 1].address < f->at.at[low - 1].size
		       ? &f->at.at[low - 1]
		       : NULL;
}

const struct function *functions_at(const struct functions *f, uint64_t address)
{
	const struct function *found = functions_around(f, address);

	return found && found->address == address ? found : NULL;
}

const struct function_name *functions_part(const struct functions *f, uint64_t address)
{
	size_t low = 0, high = f->parts.n;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;

		if (f->parts.at[mid].address <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low && address - f->parts.at[low - 1].address < f->parts.at[low - 1].size
		       ? &f->parts.at[low - 1]
		       : NULL;
}
