#include "elf/symtab.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

/* Ranks add up: what makes a name worse weighs more the further up it stands. */
#define RANK_UNDERSCORE 1 /* each, up to 7 */
#define RANK_LOCAL	8
#define RANK_LABEL	16

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

static bool is_code_type(const GElf_Sym *sym)
{
	const int type = GELF_ST_TYPE(sym->st_info);

	return type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE;
}

/* Where the section that @sym is defined in ends; 0: not in one of code. */
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

static void add_symbol(struct symtab *t, Elf *elf, const GElf_Sym *sym, const char *name)
{
	uint64_t limit;

	if (!is_code_type(sym) || !name || !name[0] || !strncmp(name, ".L", 2))
		return;
	limit = code_limit(elf, sym);
	if (!limit)
		return;
	vec_push(&t->at,
		 ((struct symbol){.start = sym->st_value,
				  .end = sym->st_size && sym->st_size < limit - sym->st_value
						 ? sym->st_value + sym->st_size
						 : limit,
				  .name = name,
				  .rank = rank_of(sym, name),
				  .sized = sym->st_size != 0}));
}

static void add_table(struct symtab *t, Elf *elf, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	const size_t one = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
	size_t n = data && one ? data->d_size / one : 0;

	/* gelf_getsym takes an int. */
	for (size_t i = 1; i < n && i < INT32_MAX; i++) {
		GElf_Sym sym;

		if (gelf_getsym(data, (int)i, &sym))
			add_symbol(t, elf, &sym, elf_strptr(elf, header->sh_link, sym.st_name));
	}
}

void symtab_add(struct symtab *t, Elf *elf)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(elf, section))) {
		GElf_Shdr header;

		if (gelf_getshdr(section, &header) &&
		    (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM))
			add_table(t, elf, section, &header);
	}
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
	size_t low = 0, high = t->at.n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (t->at.at[mid].end <= address)
			low = mid + 1;
		else
			high = mid;
	}
	return low < t->at.n && t->at.at[low].start <= address ? &t->at.at[low] : NULL;
}
