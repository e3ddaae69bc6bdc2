#include "elf/buildid.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

/* Of notes at the head of a segment; those before the build-id are a few dozen bytes. */
#define MAX_NOTE_BYTES (64 * 1024)
/* Linkers make one to three such segments. */
#define MAX_NOTES 16

static uint64_t align_up(uint64_t n, uint64_t align)
{
	return (n + align - 1) & ~(align - 1);
}

static uint8_t search_notes(const char *notes, size_t n, uint64_t align, uint8_t *id)
{
	for (size_t at = 0; n - at >= sizeof(Elf64_Nhdr);) {
		const char *name = notes + at + sizeof(Elf64_Nhdr);
		uint64_t desc, end;
		Elf64_Nhdr h;

		memcpy(&h, notes + at, sizeof(h));
		desc = align_up(at + sizeof(h) + h.n_namesz, align);
		end = desc + h.n_descsz;
		if (end > n)
			return 0;
		if (h.n_type == NT_GNU_BUILD_ID && h.n_namesz == 4 && !memcmp(name, "GNU", 4) &&
		    h.n_descsz && h.n_descsz <= BUILDID_MAX) {
			memcpy(id, notes + desc, h.n_descsz);
			return (uint8_t)h.n_descsz;
		}
		at = align_up(end, align) < n ? align_up(end, align) : n;
	}
	return 0;
}

static uint8_t read_notes(const struct elffile *f, uint64_t offset, uint64_t bytes, uint64_t align,
			  uint8_t *id)
{
	size_t n = bytes < MAX_NOTE_BYTES ? bytes : MAX_NOTE_BYTES;
	_free_ char *notes = NULL;

	if (offset > f->bytes)
		return 0;
	if (n > f->bytes - offset)
		n = f->bytes - offset;
	notes = mem_zalloc(n + 1, 1);
	if (elffile_read(f, offset, notes, n))
		return 0;
	return search_notes(notes, n, align == 8 ? 8 : 4, id);
}

uint8_t buildid_read(const struct elffile *f, uint8_t id[BUILDID_MAX])
{
	size_t left = MAX_NOTES;
	Elf64_Shdr s;
	uint8_t n;

	for (size_t i = 0; i < f->segments.n && left; i++) {
		const Elf64_Phdr *p = &f->segments.at[i];

		if (p->p_type != PT_NOTE)
			continue;
		left--;
		n = read_notes(f, p->p_offset, p->p_filesz, p->p_align, id);
		if (n)
			return n;
	}
	if (!elffile_section(f, ".note.gnu.build-id", &s) && s.sh_type == SHT_NOTE)
		return read_notes(f, s.sh_offset, s.sh_size, s.sh_addralign, id);
	return 0;
}

char *buildid_hex(const uint8_t *id, uint8_t bytes, char hex[BUILDID_HEX])
{
	hex[0] = '\0';
	for (uint8_t i = 0; i < bytes && i < BUILDID_MAX; i++)
		snprintf(hex + 2 * i, 3, "%02x", id[i]);
	return hex;
}
