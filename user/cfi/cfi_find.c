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

/* The first bytes of segment @i, [*@from, *@to), that no segment before it has: the same bytes are
 * not scanned for each segment that shows them. */
static bool find_fresh(const struct elffile *f, size_t i, uint64_t *from, uint64_t *to)
{
	bool moved = true;

	*from = f->segments.at[i].p_offset;
	*to = *from + f->segments.at[i].p_filesz;
	while (moved && budget_steps(f->budget, i / 4)) {
		moved = false;
		for (size_t k = 0; k < i; k++) {
			const Elf64_Phdr *p = &f->segments.at[k];
			const uint64_t end = p->p_offset + p->p_filesz;

			if (p->p_type != PT_LOAD || p->p_filesz > MAX_SCANNED)
				continue;
			moved |= p->p_offset <= *from && *from < end;
			if (p->p_offset <= *from && *from < end)
				*from = end;
			else if (p->p_offset > *from && p->p_offset < *to)
				*to = p->p_offset;
		}
	}
	return *from < *to;
}

/* Where nothing tells of it. */
static int load_unlisted(const struct elffile *f, struct cfi_section *s)
{
	int rc = 0;

	for (size_t i = 0; i < f->segments.n && !rc && !s->n && !budget_is_over(f->budget); i++) {
		const Elf64_Phdr *p = &f->segments.at[i];
		uint64_t from, to, at;

		if (p->p_type != PT_LOAD || p->p_filesz > MAX_SCANNED || p->p_offset > f->bytes ||
		    !find_fresh(f, i, &from, &to) ||
		    !cfi_scan(f, from, to, p->p_vaddr + (from - p->p_offset), &at))
			continue;
		s->address = p->p_vaddr + (at - p->p_offset);
		s->ends_at_0 = true;
		rc = cfi_section_load(f, at, to - at, s);
	}
	if (!s->n)
		budget_in_vain(f->budget);
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
