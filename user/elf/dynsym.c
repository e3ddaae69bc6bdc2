#include "elf/dynsym.h"

#include <stdbool.h>
#include <string.h>

/* The start of .gnu.hash. Then follow: words of 64 bits of a Bloom filter; for each bucket the
 * number of its first symbol; for each symbol from `first` on its hash, whose bit 0 ends the
 * bucket. */
struct hash_head {
	uint32_t buckets, first, words, shift;
};

/* Symbols of one bucket that are looked at. */
#define MOST_IN_BUCKET 1024
#define MOST_NAME      128

struct search {
	const struct elffile *f;
	const char *name;
	uint32_t hash;
	Elf64_Shdr table, symbols, names;
	struct hash_head head;
};

static uint32_t hash_of(const char *name)
{
	uint32_t h = 5381;

	for (; *name; name++)
		h = h * 33 + (uint8_t)*name;
	return h;
}

/* @n bytes at @offset of a section. */
static bool read_at(const struct search *s, const Elf64_Shdr *section, uint64_t offset, void *out,
		    size_t n)
{
	return offset <= section->sh_size && n <= section->sh_size - offset &&
	       !elffile_read(s->f, section->sh_offset + offset, out, n);
}

/* Whether the filter lets the name pass: nearly always if the file has it, hardly ever if not. */
static bool may_have(const struct search *s)
{
	const uint32_t h = s->hash;
	uint64_t word;

	return s->head.words && s->head.buckets &&
	       read_at(s, &s->table, sizeof(s->head) + 8 * (uint64_t)(h / 64 & (s->head.words - 1)),
		       &word, 8) &&
	       word >> h % 64 & 1 && word >> (h >> (s->head.shift & 31)) % 64 & 1;
}

static bool is_it(const struct search *s, uint32_t number, Elf64_Sym *out)
{
	const size_t n = strlen(s->name) + 1;
	char name[MOST_NAME];

	return n <= sizeof(name) &&
	       read_at(s, &s->symbols, (uint64_t)number * sizeof(*out), out, sizeof(*out)) &&
	       read_at(s, &s->names, out->st_name, name, n) && !memcmp(name, s->name, n) &&
	       out->st_shndx != SHN_UNDEF;
}

static uint32_t find_in_bucket(const struct search *s, Elf64_Sym *out)
{
	const uint64_t buckets = sizeof(s->head) + 8 * (uint64_t)s->head.words;
	const uint64_t hashes = buckets + 4 * (uint64_t)s->head.buckets;
	uint32_t number, hash;

	if (!read_at(s, &s->table, buckets + 4 * (uint64_t)(s->hash % s->head.buckets), &number,
		     4) ||
	    number < s->head.first)
		return 0;
	for (uint32_t i = 0; i < MOST_IN_BUCKET; i++, number++) {
		if (!read_at(s, &s->table, hashes + 4 * (uint64_t)(number - s->head.first), &hash,
			     4))
			return 0;
		if ((hash | 1) == (s->hash | 1) && is_it(s, number, out))
			return number;
		if (hash & 1)
			return 0;
	}
	return 0;
}

uint32_t dynsym_find(const struct elffile *f, const char *name, Elf64_Sym *out)
{
	struct search s = {.f = f, .name = name, .hash = hash_of(name)};

	if (!f->is_64 || elffile_section(f, ".gnu.hash", &s.table) ||
	    !read_at(&s, &s.table, 0, &s.head, sizeof(s.head)) || !may_have(&s) ||
	    elffile_section(f, ".dynsym", &s.symbols) || elffile_section(f, ".dynstr", &s.names))
		return 0;
	return find_in_bucket(&s, out);
}
