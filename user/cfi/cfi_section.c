#include "cfi/cfi_section.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "cfi/cfi_cursor.h"
#include "cfi/cfi_value.h"
#include "elf/segments.h"

/* Several times that of the largest programs there are. */
#define MAX_BYTES (128u << 20)

/* What deflate can do at best: a greater claim is a lie. */
#define MAX_DEFLATE_RATIO 1040

/* The @n bytes at @offset of the file; empty where it has no such bytes or they cannot be read.
 * -EFBIG with a text for an implausible size. */
static int cfi_section_load(const struct elffile *f, uint64_t offset, uint64_t n,
			    struct cfi_section *s)
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

/* The bytes of the section @name, decompressed, and its address. Errors as above. */
static int cfi_section_named(const struct elffile *f, const char *name, struct cfi_section *s)
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

/* --- entries ---------------------------------------------------------------------------------- */

#define LENGTH_BYTES 4
#define ENTRY_STEPS  8
#define LENGTH_64    0xffffffffu /* in the place of a length: eight bytes of it follow */

/* The id of an FDE leads to its CIE: in .eh_frame backwards from itself. */
static void read_id(const struct cfi_section *s, struct cfi_entry *e, bool is_64)
{
	uint64_t id_at = (uint64_t)(e->body.at - s->bytes);
	uint64_t id;

	if (s->is_eh) {
		id = cfi_uint(&e->body, 4);
		e->is_cie = id == 0;
		e->cie_at = id_at - id;
	} else {
		id = cfi_uint(&e->body, is_64 ? 8 : 4);
		e->is_cie = id == (is_64 ? UINT64_MAX : UINT32_MAX);
		e->cie_at = id;
	}
}

bool cfi_entry_at(const struct cfi_section *s, size_t *at, struct cfi_entry *out)
{
	struct cfi_cursor c = {NULL, NULL, false};
	uint64_t length;
	bool is_64;

	if (!s->n)
		return false;
	c = (struct cfi_cursor){s->bytes + *at, s->bytes + s->n, false};
	length = cfi_uint(&c, LENGTH_BYTES);
	is_64 = length == LENGTH_64;
	if (!length)
		return false;
	out->at = *at;
	if (is_64)
		length = cfi_uint(&c, 8);
	out->body = cfi_part(&c, length);
	if (c.bad)
		return false;
	*at = (size_t)(c.at - s->bytes);
	read_id(s, out, is_64);
	return true;
}

bool cfi_entry_next(const struct cfi_section *s, size_t *at, struct cfi_entry *out)
{
	static const uint8_t none[LENGTH_BYTES];

	const size_t from = *at;

	while (!s->ends_at_0 && s->n - *at >= LENGTH_BYTES &&
	       !memcmp(s->bytes + *at, none, LENGTH_BYTES))
		*at += LENGTH_BYTES;
	return budget_steps(s->budget, ENTRY_STEPS + (*at - from) / LENGTH_BYTES) &&
	       cfi_entry_at(s, at, out);
}

/* Augmentations of 'z': each letter has its bytes in the data, in order. */
static bool read_augmentation(struct cfi_cursor *c, const char *letters, struct cfi_cie *cie)
{
	struct cfi_cursor data;
	uint8_t encoding;

	if (!*letters)
		return true;
	if (*letters != 'z')
		return false;
	cie->sized = true;
	data = cfi_part(c, cfi_uleb(c));
	for (letters++; *letters; letters++) {
		switch (*letters) {
		case 'R':
			cie->encoding = (uint8_t)cfi_uint(&data, 1);
			break;
		case 'L':
			cie->lsda = (uint8_t)cfi_uint(&data, 1);
			break;
		case 'P':
			encoding = (uint8_t)cfi_uint(&data, 1);
			cfi_pointer_value(&data, encoding);
			break;
		case 'S':
			cie->signal = true;
			break;
		case 'B':
			break;
		default:
			return false;
		}
	}
	return !data.bad;
}

bool cfi_cie_read(const struct cfi_entry *e, struct cfi_cie *out)
{
	struct cfi_cursor c = e->body;
	const char *letters;
	uint64_t version, ra;

	*out = (struct cfi_cie){.encoding = CFI_PE_ABS8, .lsda = CFI_PE_OMIT};
	version = cfi_uint(&c, 1);
	if (version != 1 && version != 3 && version != 4)
		return false;
	letters = cfi_text(&c);
	/* Sizes of an address and of a segment selector. */
	if (version == 4 && (cfi_uint(&c, 1) != 8 || cfi_uint(&c, 1) != 0))
		return false;
	out->code_align = cfi_uleb(&c);
	out->data_align = cfi_sleb(&c);
	ra = version == 1 ? cfi_uint(&c, 1) : cfi_uleb(&c);
	if (ra != CFI_RIP || !read_augmentation(&c, letters, out))
		return false;
	out->program = c;
	return !c.bad;
}

bool cfi_fde_read(const struct cfi_section *s, const struct cfi_entry *e, const struct cfi_cie *cie,
		  struct cfi_fde *out)
{
	struct cfi_bases bases = {.start = s->bytes, .address = s->address};
	struct cfi_cursor c = e->body, data = {0}, value = {0};

	out->start = cfi_pointer(&c, cie->encoding, &bases);
	out->bytes = cfi_pointer_value(&c, cie->encoding);
	out->lsda = 0;
	if (cie->sized)
		data = value = cfi_part(&c, cfi_uleb(&c));
	/* 0 is no address, whatever it were relative to. */
	if (cie->lsda != CFI_PE_OMIT && cfi_pointer_value(&value, cie->lsda))
		out->lsda = cfi_pointer(&data, cie->lsda, &bases);
	out->program = c;
	return !c.bad;
}

/* Of a segment, where it is to be searched for. */
#define MAX_SCANNED (64u << 20)

/* A CIE from its id on, as every compiler for this machine begins it: version 1, augmentation "z…";
 * and the length before it. */
static const uint8_t cie_head[] = {0, 0, 0, 0, 1, 'z'};
#define LENGTH_BYTES 4

/* Searched at once; the bytes that take a step to search, and what takes a closer look. */
#define AT_ONCE (1u << 18)
/* Of a CIE and what follows it: looked at where it begins in what is searched. */
#define ENTRIES_BYTES	 4096
#define SCANNED_PER_STEP 16
#define LOOK_STEPS	 64

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

		if (elffile_read(f, at, buf, n) || !budget_steps(f->budget, n / SCANNED_PER_STEP))
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
