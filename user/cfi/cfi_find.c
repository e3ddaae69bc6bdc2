#include "cfi/cfi_find.h"

#include <string.h>

#include "base/mem.h"
#include "cfi/cfi_cursor.h"
#include "cfi/cfi_section.h"
#include "elf/segments.h"

/* Of a segment, where it is to be searched for. */
#define MAX_SCANNED (64u << 20)

/* A CIE from its id on, as every compiler for this machine begins it: version 1, augmentation "z…";
 * and the length before it. */
static const uint8_t cie_head[] = {0, 0, 0, 0, 1, 'z'};
#define LENGTH_BYTES 4

/* Searched at once; the bytes that take a step to search, and what takes a closer look. */
#define AT_ONCE (1u << 18)
/* Of a CIE and what follows it: looked at where it begins in what is searched. */
#define ENTRIES_BYTES  4096
#define BYTES_PER_STEP 16
#define LOOK_STEPS     64

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

static bool is_code(const struct elffile *f, uint64_t address)
{
	for (size_t i = 0; i < f->segments.n; i++) {
		const Elf64_Phdr *p = &f->segments.at[i];

		if (p->p_type == PT_LOAD && (p->p_flags & PF_X) && address >= p->p_vaddr &&
		    address - p->p_vaddr < p->p_filesz)
			return true;
	}
	return false;
}

/* Whether entries begin at @at. */
static bool begins(const struct elffile *f, const struct cfi_section *s, size_t at)
{
	const size_t cie_at = at;
	struct cfi_entry e;
	struct cfi_cie cie;
	struct cfi_fde fde;

	return cfi_entry_next(s, &at, &e) && e.is_cie && e.at == cie_at && cfi_cie_read(&e, &cie) &&
	       cfi_entry_next(s, &at, &e) && !e.is_cie && e.cie_at == cie_at &&
	       cfi_fde_read(s, &e, &cie, &fde) && is_code(f, fde.start);
}

/* The first entry in @n bytes at @bytes, shown at @address, whose length stands in the first @most;
 * @most: none, or the budget is used up. */
static size_t find_entry(const struct elffile *f, const struct cfi_section *s, size_t most)
{
	/* Fewer bytes than a length has none. */
	for (size_t id = LENGTH_BYTES; id < s->n; id++) {
		const uint8_t *hit = memmem(s->bytes + id, s->n - id, cie_head, sizeof(cie_head));

		if (!hit)
			break;
		id = (size_t)(hit - s->bytes);
		if (id - LENGTH_BYTES >= most || !budget_steps(f->budget, LOOK_STEPS))
			break;
		if (begins(f, s, id - LENGTH_BYTES))
			return id - LENGTH_BYTES;
	}
	return most;
}

/* Where in the file the first entry is, in [@from, @to) of it, which is loaded at @address; false:
 * there is none. Taken as proof: a CIE followed by an FDE that refers to it and to code. Reads a
 * part after the other: a sparse file shall not take memory. */
static bool scan(const struct elffile *f, uint64_t from, uint64_t to, uint64_t address,
		 uint64_t *found)
{
	_free_ uint8_t *buf = mem_zalloc(AT_ONCE + ENTRIES_BYTES, 1);

	for (uint64_t at = from; at < to && to <= f->bytes; at += AT_ONCE) {
		const size_t n =
			to - at < AT_ONCE + ENTRIES_BYTES ? to - at : AT_ONCE + ENTRIES_BYTES;
		const size_t most = n < AT_ONCE ? n : AT_ONCE;
		const struct cfi_section s = {.bytes = buf,
					      .n = n,
					      .address = address + (at - from),
					      .is_eh = true,
					      .ends_at_0 = true,
					      .budget = f->budget};
		size_t start;

		if (elffile_read(f, at, buf, n) || !budget_steps(f->budget, n / BYTES_PER_STEP))
			return false;
		start = find_entry(f, &s, most);
		*found = at + start;
		if (start < most)
			return true;
	}
	return false;
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
		    !scan(f, from, to, p->p_vaddr + (from - p->p_offset), &at))
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
