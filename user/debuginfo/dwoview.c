#include "debuginfo/dwoview.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"

/* The headers of a file that is made: of the file, of its sections with the first, which is empty,
 * and the last, which has their names. */
struct headers {
	Elf64_Ehdr file;
	Elf64_Shdr sections[DWOVIEW_PARTS + 2];
	char names[1088];
};

_Static_assert(sizeof(struct headers) == 2048, "whole pages of them precede the file");

#define HEADERS_BYTES ((uint64_t)DWOVIEW_MOST * sizeof(struct headers))

/* Decompressed sections of one file: more is not read. */
#define MOST_INFLATED (UINT64_C(1) << 30)
/* Sections of one file: gcc makes one for each type. */
#define MOST_SECTIONS 65536

/* --- sections ---------------------------------------------------------------------------------
 */

/* What is walked: each section with debug information of the file @elf. */
struct section {
	Elf_Scn *scn;
	const char *name;
	GElf_Shdr header;
};

static bool is_wanted(const char *name)
{
	return name && (str_ends(name, ".dwo") || !strcmp(name, ".debug_cu_index") ||
			!strcmp(name, ".debug_tu_index"));
}

static bool next_section(Elf *elf, struct section *s)
{
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return false;
	while ((s->scn = elf_nextscn(elf, s->scn))) {
		if (!gelf_getshdr(s->scn, &s->header) || s->header.sh_type == SHT_NOBITS)
			continue;
		s->name = elf_strptr(elf, names, s->header.sh_name);
		if (is_wanted(s->name))
			return true;
	}
	return false;
}

/* Bytes of the sections that are compressed, once they are not. */
static uint64_t inflated_bytes(Elf *elf)
{
	struct section s = {0};
	uint64_t sum = 0;
	GElf_Chdr compressed;

	while (next_section(elf, &s) && sum <= MOST_INFLATED)
		if (s.header.sh_flags & SHF_COMPRESSED && gelf_getchdr(s.scn, &compressed))
			sum += compressed.ch_size < MOST_INFLATED ? compressed.ch_size
								  : MOST_INFLATED + 1;
	return sum;
}

/* Puts the section's bytes at *@to, and moves that on. */
static bool inflate(struct dwoview *v, Elf_Scn *scn, uint64_t *to, struct dwoview_part *out)
{
	const Elf_Data *data;

	if (elf_compress(scn, 0, 0) < 0 || !(data = elf_rawdata(scn, NULL)) || !data->d_buf ||
	    data->d_size > v->bytes - *to)
		return false;
	memcpy(v->memory + *to, data->d_buf, data->d_size);
	out->offset = *to;
	out->bytes = data->d_size;
	*to += data->d_size;
	return true;
}

static uint64_t whole_pages(uint64_t bytes)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	return (bytes + page - 1) / page * page;
}

static void list_sections(struct dwoview *v, Elf *elf, uint64_t file_bytes)
{
	uint64_t inflated = HEADERS_BYTES + whole_pages(file_bytes);
	struct section s = {0};
	struct str names = {0};

	while (v->sections.n < MOST_SECTIONS && next_section(elf, &s)) {
		struct dwoview_part part = {.offset = HEADERS_BYTES + s.header.sh_offset,
					    .bytes = s.header.sh_size};

		if (s.header.sh_flags & SHF_COMPRESSED) {
			if (!inflate(v, s.scn, &inflated, &part))
				continue;
		} else if (s.header.sh_offset > file_bytes ||
			   s.header.sh_size > file_bytes - s.header.sh_offset) {
			continue;
		}
		vec_push(&v->sections, part);
		str_addn(&names, s.name, strlen(s.name) + 1);
	}
	v->names = str_steal(&names);
	for (size_t i = 0, at = 0; i < v->sections.n; at += strlen(v->names + at) + 1)
		v->sections.at[i++].name = v->names + at;
}

static bool is_readable(Elf *elf)
{
	const char *ident = elf ? elf_getident(elf, NULL) : NULL;

	return ident && elf_kind(elf) == ELF_K_ELF && ident[EI_CLASS] == ELFCLASS64 &&
	       ident[EI_DATA] == ELFDATA2LSB;
}

/* Headers, the file, and room for what is compressed. */
static bool map(struct dwoview *v, int fd, uint64_t file_bytes, uint64_t inflated)
{
	uint8_t *memory;

	v->bytes = HEADERS_BYTES + whole_pages(file_bytes) + inflated;
	memory = mmap(NULL, v->bytes, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (memory == MAP_FAILED)
		return false;
	v->memory = memory;
	return mmap(memory + HEADERS_BYTES, file_bytes, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd,
		    0) != MAP_FAILED;
}

bool dwoview_open(int fd, struct dwoview *out)
{
	struct stat st;
	Elf *elf;
	bool ok;

	*out = (struct dwoview){0};
	elf_version(EV_CURRENT);
	elf = fd < 0 || fstat(fd, &st) || st.st_size <= 0 ? NULL
							  : elf_begin(fd, ELF_C_READ_MMAP, NULL);
	ok = is_readable(elf);
	if (ok) {
		const uint64_t inflated = inflated_bytes(elf), bytes = (uint64_t)st.st_size;

		ok = inflated <= MOST_INFLATED && map(out, fd, bytes, inflated);
		if (ok)
			list_sections(out, elf, bytes);
	}
	elf_end(elf);
	return ok;
}

void dwoview_release(struct dwoview *v)
{
	if (v->memory)
		munmap(v->memory, v->bytes);
	vec_release(&v->sections);
	free(v->names);
	*v = (struct dwoview){0};
}

struct split_bytes dwoview_bytes(const struct dwoview *v, const struct dwoview_part *part)
{
	const uint8_t *at = v->memory + part->offset;

	return (struct split_bytes){at, at + part->bytes};
}

const struct dwoview_part *dwoview_section(const struct dwoview *v, const char *name)
{
	vec_each (s, &v->sections)
		if (!strcmp(s->name, name))
			return s;
	return NULL;
}

/* --- files ------------------------------------------------------------------------------------ */

Elf *dwoview_make(struct dwoview *v, const struct dwoview_part *parts, uint32_t n)
{
	const uint64_t start = v->made * sizeof(struct headers);
	struct headers *h = (struct headers *)(void *)(v->memory + start);
	uint32_t names = 1;

	if (v->made == DWOVIEW_MOST || n > DWOVIEW_PARTS)
		return NULL;
	v->made++;
	h->file = (Elf64_Ehdr){.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					   ELFDATA2LSB, EV_CURRENT},
			       .e_type = ET_REL,
			       .e_machine = EM_X86_64,
			       .e_version = EV_CURRENT,
			       .e_ehsize = sizeof(h->file),
			       .e_shoff = offsetof(struct headers, sections),
			       .e_shentsize = sizeof(*h->sections),
			       .e_shnum = (Elf64_Half)(n + 2),
			       .e_shstrndx = (Elf64_Half)(n + 1)};
	for (uint32_t i = 0; i < n; i++) {
		const size_t bytes = strlen(parts[i].name) + 1;

		if (bytes > sizeof(h->names) - names)
			return NULL;
		memcpy(h->names + names, parts[i].name, bytes);
		h->sections[i + 1] = (Elf64_Shdr){.sh_name = names,
						  .sh_type = SHT_PROGBITS,
						  .sh_offset = parts[i].offset - start,
						  .sh_size = parts[i].bytes,
						  .sh_addralign = 1};
		names += (uint32_t)bytes;
	}
	h->sections[n + 1] = (Elf64_Shdr){.sh_type = SHT_STRTAB,
					  .sh_offset = offsetof(struct headers, names),
					  .sh_size = names,
					  .sh_addralign = 1};
	return elf_memory((char *)h, v->bytes - start);
}
