#include "cfi/cfi_section.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/err.h"
#include "base/mem.h"

/* Several times that of the largest programs there are. */
#define MAX_BYTES (128u << 20)

/* What deflate can do at best: a greater claim is a lie. */
#define MAX_DEFLATE_RATIO 1040

int cfi_section_load(const struct elffile *f, uint64_t offset, uint64_t n, struct cfi_section *s)
{
	if (!n || offset > f->bytes || n > f->bytes - offset)
		return 0;
	if (n > MAX_BYTES)
		return err(-EFBIG, "call frame information of %lu bytes", n);
	s->bytes = mem_zalloc(n + 1, 1);
	s->n = n;
	if (elffile_read(f, offset, s->bytes, n))
		cfi_section_release(s);
	return 0;
}

/* Puts the bytes that were deflated in the place of the deflated ones, or none. */
static int inflate_section(struct cfi_section *s)
{
	_free_ uint8_t *packed = s->bytes;
	size_t n = s->n;
	Elf64_Chdr head;
	uLongf got;

	s->bytes = NULL;
	s->n = 0;
	if (n < sizeof(head))
		return 0;
	memcpy(&head, packed, sizeof(head));
	if (head.ch_type != ELFCOMPRESS_ZLIB || head.ch_size / MAX_DEFLATE_RATIO > n)
		return 0;
	if (head.ch_size > MAX_BYTES)
		return err(-EFBIG, "call frame information of %lu bytes", head.ch_size);
	s->bytes = mem_zalloc(head.ch_size + 1, 1);
	got = head.ch_size;
	if (uncompress(s->bytes, &got, packed + sizeof(head), n - sizeof(head)) == Z_OK)
		s->n = got;
	return 0;
}

int cfi_section_named(const struct elffile *f, const char *name, struct cfi_section *s)
{
	Elf64_Shdr h;
	int rc;

	if (elffile_section(f, name, &h) || h.sh_type == SHT_NOBITS || !h.sh_size)
		return 0;
	s->address = h.sh_addr;
	rc = cfi_section_load(f, h.sh_offset, h.sh_size, s);
	if (!rc && (h.sh_flags & SHF_COMPRESSED))
		rc = inflate_section(s);
	return rc;
}

void cfi_section_release(struct cfi_section *s)
{
	free(s->bytes);
	s->bytes = NULL;
	s->n = 0;
}
