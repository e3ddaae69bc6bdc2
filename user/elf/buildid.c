#include "elf/buildid.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

/* --- notes ------------------------------------------------------------------------------------ */

/* Of notes at the head of a segment; those before the build-id are a few dozen bytes. */
#define MAX_NOTE_BYTES (64 * 1024)
/* Linkers make one to three such segments. */
#define MAX_NOTES 16

static uint64_t align_up(uint64_t n, uint64_t align)
{
	return (n + align - 1) & ~(align - 1);
}

/* What is looked for, and where it goes. */
struct search {
	const struct note_key *key;
	void *out;
	size_t most;
};

static bool is_wanted(const struct search *s, const Elf64_Nhdr *h, const char *name)
{
	const size_t n = strlen(s->key->owner) + 1;

	return h->n_type == s->key->type && h->n_namesz == n && !memcmp(name, s->key->owner, n) &&
	       h->n_descsz && h->n_descsz <= s->most;
}

/* What one note takes. */
#define NOTE_STEPS 8

static size_t search_notes(const struct elffile *f, const char *notes, size_t n, uint64_t align,
			   const struct search *s)
{
	for (size_t at = 0; n - at >= sizeof(Elf64_Nhdr);) {
		const char *name = notes + at + sizeof(Elf64_Nhdr);
		uint64_t desc, end;
		Elf64_Nhdr h;

		if (!budget_steps(f->budget, NOTE_STEPS))
			return 0;
		memcpy(&h, notes + at, sizeof(h));
		desc = align_up(at + sizeof(h) + h.n_namesz, align);
		end = desc + h.n_descsz;
		if (end > n)
			return 0;
		if (is_wanted(s, &h, name)) {
			memcpy(s->out, notes + desc, h.n_descsz);
			return h.n_descsz;
		}
		at = align_up(end, align) < n ? align_up(end, align) : n;
	}
	return 0;
}

static size_t read_notes(const struct elffile *f, uint64_t offset, uint64_t bytes, uint64_t align,
			 const struct search *s)
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
	return search_notes(f, notes, n, align == 8 ? 8 : 4, s);
}

size_t note_read(const struct elffile *f, const struct note_key *key, void *out, size_t most)
{
	const struct search search = {key, out, most};
	const Elf64_Phdr *last = NULL;
	size_t left = MAX_NOTES;
	Elf64_Shdr s;
	size_t n;

	for (size_t i = 0; i < f->segments.n && left; i++) {
		const Elf64_Phdr *p = &f->segments.at[i];

		if (p->p_type != PT_NOTE || (last && last->p_offset == p->p_offset))
			continue;
		left--;
		last = p;
		n = read_notes(f, p->p_offset, p->p_filesz, p->p_align, &search);
		if (n)
			return n;
	}
	if (!elffile_section(f, key->section, &s) && s.sh_type == SHT_NOTE)
		return read_notes(f, s.sh_offset, s.sh_size, s.sh_addralign, &search);
	return 0;
}

uint8_t buildid_read(const struct elffile *f, uint8_t id[BUILDID_MAX])
{
	static const struct note_key key = {".note.gnu.build-id", "GNU", NT_GNU_BUILD_ID};

	return (uint8_t)note_read(f, &key, id, BUILDID_MAX);
}

char *buildid_hex(const uint8_t *id, uint8_t bytes, char hex[BUILDID_HEX])
{
	hex[0] = '\0';
	for (uint8_t i = 0; i < bytes && i < BUILDID_MAX; i++)
		snprintf(hex + 2 * i, 3, "%02x", id[i]);
	return hex;
}
