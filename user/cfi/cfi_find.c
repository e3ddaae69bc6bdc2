#include "cfi/cfi_find.h"

#include "cfi/cfi_pointer.h"
#include "cfi/cfi_scan.h"
#include "elf/segments.h"

/* Of a segment, where it is to be searched for. */
#define MAX_SCANNED (64u << 20)

#define HDR_BYTES 12 /* version, three encodings, a pointer of at most eight bytes */

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
		return cfi_section_load(f, offset, n, s);
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
		rc = cfi_section_load(f, p->p_offset, p->p_filesz, s);
		if (s->n)
			cfi_scan(f, s);
	}
	return rc;
}

int cfi_find_eh(const struct elffile *f, struct cfi_section *out)
{
	int rc;

	*out = (struct cfi_section){.is_eh = true};
	rc = cfi_section_named(f, ".eh_frame", out);
	for (size_t i = 0; i < f->segments.n && !rc && !out->n; i++) {
		if (f->segments.at[i].p_type == PT_GNU_EH_FRAME)
			rc = load_by_header(f, &f->segments.at[i], out);
	}
	if (!rc && !out->n && !f->n_sections)
		rc = load_unlisted(f, out);
	return rc;
}

int cfi_find_debug(const struct elffile *f, struct cfi_section *out)
{
	*out = (struct cfi_section){0};
	return cfi_section_named(f, ".debug_frame", out);
}
