#include "debuginfo/markers.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define MOST  100000
#define TYPE  3
#define OWNER "stapsdt"

/* Where the files of a note's addresses were laid out by then; see adjust(). */
#define BASE ".stapsdt.base"

/* By number. */
static const char *const registers[MARKER_REGISTERS][4] = {
	{"rax", "eax", "ax", "al"},	 {"rcx", "ecx", "cx", "cl"},
	{"rdx", "edx", "dx", "dl"},	 {"rbx", "ebx", "bx", "bl"},
	{"rsp", "esp", "sp", "spl"},	 {"rbp", "ebp", "bp", "bpl"},
	{"rsi", "esi", "si", "sil"},	 {"rdi", "edi", "di", "dil"},
	{"r8", "r8d", "r8w", "r8b"},	 {"r9", "r9d", "r9w", "r9b"},
	{"r10", "r10d", "r10w", "r10b"}, {"r11", "r11d", "r11w", "r11b"},
	{"r12", "r12d", "r12w", "r12b"}, {"r13", "r13d", "r13w", "r13b"},
	{"r14", "r14d", "r14w", "r14b"}, {"r15", "r15d", "r15w", "r15b"},
};

/* The register named by the @n bytes at @name; MARKER_REGISTERS: none. @whole: all 64 bits. */
static uint8_t register_of(const char *name, size_t n, bool whole)
{
	for (uint8_t i = 0; i < MARKER_REGISTERS; i++)
		for (size_t k = 0; k < (whole ? 1 : 4); k++)
			if (strlen(registers[i][k]) == n && !memcmp(registers[i][k], name, n))
				return i;
	return MARKER_REGISTERS;
}

/* One value: what stands behind its "@". An index or a symbol is not understood. */
static void parse(const char *text, size_t n, struct marker_value *out)
{
	const char *open = memchr(text, '(', n);
	const char *end = text + n;
	char *rest = NULL;
	long offset = 0;

	if (!open) {
		if (*text == '%')
			out->reg = register_of(text + 1, n - 1, false);
		out->known = *text == '%' && out->reg < MARKER_REGISTERS;
		return;
	}
	if (open > text) {
		offset = strtol(text, &rest, 10);
		if (rest != open)
			return;
	}
	if (end - open < 4 || open[1] != '%' || end[-1] != ')')
		return;
	out->reg = register_of(open + 2, (size_t)(end - open) - 3, true);
	out->known = out->in_memory = out->reg < MARKER_REGISTERS && offset == (int32_t)offset;
	out->offset = (int32_t)offset;
}

void markers_values(const char *text, struct marker_value *values)
{
	memset(values, 0, MARKER_VALUES * sizeof(*values));
	for (size_t i = 0; i < MARKER_VALUES && *text; i++) {
		const size_t n = strcspn(text, " ");
		const char *at = memchr(text, '@', n);

		if (at && at + 1 < text + n)
			parse(at + 1, (size_t)(text + n - at) - 1, &values[i]);
		text += n;
		text += strspn(text, " ");
	}
}

/* The text at @at of what ends at @end; NULL: it does not end in time. Moves @at behind it. */
static const char *next(const char **at, const char *end)
{
	const char *text = *at,
		   *zero = text < end ? memchr(text, '\0', (size_t)(end - text)) : NULL;

	*at = zero ? zero + 1 : end;
	return zero ? text : NULL;
}

/* What all addresses of notes are off by: the file got another layout after they were written. */
static uint64_t adjust(uint64_t noted, uint64_t base)
{
	return noted && base ? base - noted : 0;
}

struct reading {
	void (*each)(void *, const char *, uint64_t, uint64_t, const struct marker_value *);
	void *context;
	uint64_t base; /* where the section BASE is; 0: there is none */
	size_t n;
};

static void read_note(struct reading *r, const char *at, size_t n)
{
	const char *end = at + n, *provider, *name, *values;
	struct marker_value found[MARKER_VALUES];
	uint64_t where[3]; /* the instruction, BASE, the counter */
	_free_ char *whole = NULL;

	if (n < sizeof(where))
		return;
	memcpy(where, at, sizeof(where));
	at += sizeof(where);
	provider = next(&at, end);
	name = next(&at, end);
	values = next(&at, end);
	if (!provider || !name || !values || !*name)
		return;
	markers_values(values, found);
	where[0] += adjust(where[1], r->base);
	if (where[2])
		where[2] += adjust(where[1], r->base);
	whole = mem_printf("%s.%s" MARKER_ENDING, provider, name);
	r->each(r->context, whole, where[0], where[2], found);
}

static void read_section(struct reading *r, Elf_Scn *section)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t at = 0, name, desc;
	GElf_Nhdr note;

	while (data && r->n < MOST && (at = gelf_getnote(data, at, &note, &name, &desc)) > 0) {
		if (note.n_type != TYPE || note.n_namesz != sizeof(OWNER) ||
		    memcmp((const char *)data->d_buf + name, OWNER, sizeof(OWNER)))
			continue;
		r->n++;
		read_note(r, (const char *)data->d_buf + desc, note.n_descsz);
	}
}

static uint64_t find_base(Elf *elf, size_t names)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section))) {
		const char *name = gelf_getshdr(section, &header)
					   ? elf_strptr(elf, names, header.sh_name)
					   : NULL;

		if (name && !strcmp(name, BASE))
			return header.sh_addr;
	}
	return 0;
}

void markers_each(Elf *elf,
		  void (*each)(void *context, const char *name, uint64_t address,
			       uint64_t semaphore, const struct marker_value *values),
		  void *context)
{
	struct reading r = {.each = each, .context = context};
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return;
	r.base = find_base(elf, names);
	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_NOTE)
			read_section(&r, section);
}
