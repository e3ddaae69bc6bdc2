#include "cfi/cfi_section.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "cfi/cfi_pointer.h"
#include "cfi/cfi_scan.h"
#include "elf/segments.h"

/* Ten times that of the largest libraries there are. */
#define MAX_BYTES (256u << 20)

/* Of a segment, where it is to be searched for. */
#define MAX_SCANNED (64u << 20)

/* What deflate can do at best: a greater claim is a lie. */
#define MAX_DEFLATE_RATIO 1040

#define HDR_BYTES 12 /* version, three encodings, a pointer of at most eight bytes */

static int load(const struct elffile *f, uint64_t offset, uint64_t n, struct cfi_section *s)
{
	if (offset > f->bytes || n > f->bytes - offset)
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

static int load_section(const struct elffile *f, const char *name, struct cfi_section *s)
{
	Elf64_Shdr h;
	int rc;

	if (elffile_section(f, name, &h) || h.sh_type == SHT_NOBITS || !h.sh_size)
		return 0;
	s->address = h.sh_addr;
	rc = load(f, h.sh_offset, h.sh_size, s);
	if (!rc && (h.sh_flags & SHF_COMPRESSED))
		rc = inflate_section(s);
	return rc;
}

/* The address of .eh_frame that PT_GNU_EH_FRAME's .eh_frame_hdr holds. */
static bool read_hdr(const struct elffile *f, const Elf64_Phdr *p, uint64_t *address)
{
	uint8_t head[HDR_BYTES];
	struct cfi_cursor c = {head + 4, head + sizeof(head), false};
	struct cfi_bases bases = {head, p->p_vaddr, p->p_vaddr};

	if (p->p_filesz < sizeof(head) || elffile_read(f, p->p_offset, head, sizeof(head)) ||
	    head[0] != 1 || head[1] == CFI_PE_OMIT)
		return false;
	*address = cfi_pointer(&c, head[1], &bases);
	return !c.bad;
}

/* Where the sections are stripped: from where the header says to the end of the segment, or to
 * the header if that comes later. */
static int load_by_header(const struct elffile *f, const Elf64_Phdr *hdr, struct cfi_section *s)
{
	uint64_t address, offset;

	if (!read_hdr(f, hdr, &address) || !segments_offset(f, address, &offset))
		return 0;
	for (size_t i = 0; i < f->segments.n; i++) {
		const Elf64_Phdr *p = &f->segments.at[i];
		uint64_t n;

		if (p->p_type != PT_LOAD || offset < p->p_offset ||
		    offset - p->p_offset >= p->p_filesz)
			continue;
		n = p->p_filesz - (offset - p->p_offset);
		if (hdr->p_offset > offset && hdr->p_offset - offset < n)
			n = hdr->p_offset - offset;
		s->address = address;
		s->ends_at_0 = true;
		return load(f, offset, n, s);
	}
	return 0;
}

/* Where nothing tells of it. */
static int load_unlisted(const struct elffile *f, struct cfi_section *s)
{
	int rc = 0;

	for (size_t i = 0; i < f->segments.n && !rc && !s->n; i++) {
		const Elf64_Phdr *p = &f->segments.at[i];

		if (p->p_type != PT_LOAD || p->p_filesz > MAX_SCANNED)
			continue;
		s->address = p->p_vaddr;
		rc = load(f, p->p_offset, p->p_filesz, s);
		if (s->n)
			cfi_scan(f, s);
	}
	return rc;
}

int cfi_section_eh(const struct elffile *f, struct cfi_section *out)
{
	int rc;

	*out = (struct cfi_section){.is_eh = true};
	rc = load_section(f, ".eh_frame", out);
	for (size_t i = 0; i < f->segments.n && !rc && !out->n; i++) {
		if (f->segments.at[i].p_type == PT_GNU_EH_FRAME)
			rc = load_by_header(f, &f->segments.at[i], out);
	}
	if (!rc && !out->n && !f->n_sections)
		rc = load_unlisted(f, out);
	return rc;
}

int cfi_section_debug(const struct elffile *f, struct cfi_section *out)
{
	*out = (struct cfi_section){0};
	return load_section(f, ".debug_frame", out);
}

void cfi_section_release(struct cfi_section *s)
{
	free(s->bytes);
	s->bytes = NULL;
	s->n = 0;
}
