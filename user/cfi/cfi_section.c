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
	s->budget = f->budget;
	if (!budget_memory(s->budget, n))
		return 0;
	s->bytes = mem_zalloc(n + 1, 1);
	s->n = n;
	if (elffile_read(f, offset, s->bytes, n))
		cfi_section_release(s);
	return 0;
}

/* What is inflated between two looks at the budget, and how many bytes take a step. */
#define INFLATE_BYTES  (1u << 18)
#define BYTES_PER_STEP 2

/* Inflates up to @n bytes; how many there are. */
static size_t inflate_all(struct budget *budget, z_stream *z, size_t n)
{
	int rc = Z_OK;
	size_t done = 0;

	while (rc == Z_OK && done < n) {
		const size_t next = n - done < INFLATE_BYTES ? n - done : INFLATE_BYTES;

		z->avail_out = (uInt)next;
		rc = inflate(z, Z_NO_FLUSH);
		done += next - z->avail_out;
		if (!budget_steps(budget, next / BYTES_PER_STEP))
			return 0;
	}
	return rc == Z_STREAM_END || (rc == Z_OK && done == n) ? done : 0;
}

/* Puts the bytes that were deflated in the place of the deflated ones, or none. */
static int inflate_section(struct cfi_section *s)
{
	_free_ uint8_t *packed = s->bytes;
	size_t n = s->n;
	Elf64_Chdr head;
	z_stream z = {0};

	s->bytes = NULL;
	s->n = 0;
	if (n < sizeof(head))
		return 0;
	memcpy(&head, packed, sizeof(head));
	if (head.ch_type != ELFCOMPRESS_ZLIB || head.ch_size / MAX_DEFLATE_RATIO > n)
		return 0;
	if (head.ch_size > MAX_BYTES)
		return err(-EFBIG, "call frame information of %lu bytes", head.ch_size);
	if (!budget_memory(s->budget, head.ch_size) || inflateInit(&z) != Z_OK)
		return 0;
	s->bytes = mem_zalloc(head.ch_size + 1, 1);
	z.next_in = packed + sizeof(head);
	z.avail_in = (uInt)(n - sizeof(head));
	z.next_out = s->bytes;
	s->n = inflate_all(s->budget, &z, head.ch_size);
	inflateEnd(&z);
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
	if (s->bytes)
		budget_memory_back(s->budget, s->n);
	free(s->bytes);
	s->bytes = NULL;
	s->n = 0;
}
