#include "cfi/fde.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "cfi/cfi_cursor.h"
#include "cfi/cfi_section.h"
#include "elf/segments.h"

/* --- ranges of code --------------------------------------------------------------------------- */

/* Ten times what the largest programs have. */
#define MAX_RANGES (1u << 22)

struct reading {
	cfi_ranges *ranges;
	struct cfi_section section;
	VEC(struct cfi_cie) cies;
	struct map by_place; /* offset of a CIE → cies */
};

static void take_cie(struct reading *r, const struct cfi_entry *e)
{
	struct cfi_cie cie;
	bool fresh;

	if (!cfi_cie_read(e, &cie))
		return;
	*map_put(&r->by_place, e->at, &fresh) = (uint32_t)r->cies.n;
	vec_push(&r->cies, cie);
}

static void take_fde(struct reading *r, const struct cfi_entry *e)
{
	const uint32_t *cie = map_get(&r->by_place, e->cie_at);
	struct cfi_fde fde;

	if (!cie || !cfi_fde_read(&r->section, e, &r->cies.at[*cie], &fde) || !fde.bytes ||
	    fde.start + fde.bytes < fde.start || r->ranges->n == MAX_RANGES)
		return;
	vec_push(r->ranges, ((struct cfi_range){fde.start, fde.start + fde.bytes, fde.lsda}));
}

static int by_start(const void *pa, const void *pb)
{
	const struct cfi_range *a = pa, *b = pb;

	return a->start < b->start ? -1 : a->start > b->start;
}

void cfi_ranges_read(const struct elffile *f, cfi_ranges *out)
{
	struct reading r = {.ranges = out};
	struct cfi_entry e;

	if (cfi_find_eh(f, &r.section))
		return;
	for (size_t at = 0; cfi_entry_next(&r.section, &at, &e);) {
		if (e.is_cie)
			take_cie(&r, &e);
		else
			take_fde(&r, &e);
	}
	if (out->n)
		qsort(out->at, out->n, sizeof(*out->at), by_start);
	vec_release(&r.cies);
	map_release(&r.by_place);
	cfi_section_release(&r.section);
}

const struct cfi_range *cfi_ranges_find(const cfi_ranges *ranges, uint64_t address)
{
	const size_t n = vec_upto(ranges, start, address);

	return n && address < ranges->at[n - 1].end ? &ranges->at[n - 1] : NULL;
}

/* What linkers write in .eh_frame_hdr (LSB 5.0, 10.5). */
#define PE_UDATA4	  0x03
#define PE_DATAREL_SDATA4 0x3b

#define HDR_BYTES 12 /* version, three encodings, pointer, count */

/* More than ten times what the largest programs have. */
#define MAX_ROWS (1u << 22)

/* The head of an entry that matters here; longer augmentations are not seen in practice. */
#define ENTRY_BYTES 64

/* How many bytes a pointer of @encoding takes; 0: of no fixed size. */
static size_t pointer_bytes(uint8_t encoding, bool is_64)
{
	return (encoding & 0x0f) == CFI_PE_ABS8 && !is_64 ? 4 : cfi_pointer_bytes(encoding);
}

static void skip_pointer(struct cfi_cursor *c, uint8_t encoding, bool is_64)
{
	size_t n = pointer_bytes(encoding, is_64);

	if (!n)
		cfi_fail(c);
	cfi_skip(c, n);
}

void fde_open_rows(const struct elffile *f, struct fde_table *t)
{
	uint8_t head[HDR_BYTES];
	uint32_t count;

	*t = (struct fde_table){.file = f};
	for (size_t i = 0; i < f->segments.n; i++) {
		const Elf64_Phdr *p = &f->segments.at[i];

		if (p->p_type != PT_GNU_EH_FRAME || p->p_filesz < HDR_BYTES ||
		    elffile_read(f, p->p_offset, head, sizeof(head)))
			continue;
		memcpy(&count, head + 8, sizeof(count));
		if (head[0] != 1 || pointer_bytes(head[1], f->is_64) != 4 || head[2] != PE_UDATA4 ||
		    head[3] != PE_DATAREL_SDATA4 || !count ||
		    count > (p->p_filesz - HDR_BYTES) / sizeof(struct fde_row) ||
		    count > f->bytes / sizeof(struct fde_row) || count > MAX_ROWS)
			continue;
		if (!budget_memory(f->budget, count * sizeof(struct fde_row)))
			return;
		t->address = p->p_vaddr;
		vec_reserve(&t->rows, count);
		if (!elffile_read(f, p->p_offset + HDR_BYTES, t->rows.at,
				  count * sizeof(struct fde_row)))
			t->rows.n = count;
		return;
	}
}

void fde_open(const struct elffile *f, struct fde_table *t)
{
	fde_open_rows(f, t);
	if (!t->rows.n)
		cfi_ranges_read(f, &t->ranges);
}

void fde_release(struct fde_table *t)
{
	vec_release(&t->ranges);
	vec_release(&t->rows);
}

/* The head of the entry at @address, in @buf; an empty one where it is in no segment. */
static struct cfi_cursor read_entry(const struct elffile *f, uint64_t address,
				    uint8_t buf[ENTRY_BYTES])
{
	struct cfi_cursor c = {buf, buf, false};
	uint64_t offset;
	size_t n = ENTRY_BYTES;

	if (!segments_offset(f, address, &offset) || offset >= f->bytes)
		return c;
	if (n > f->bytes - offset)
		n = f->bytes - offset;
	if (!elffile_read(f, offset, buf, n))
		c.end += n;
	return c;
}

/* Walks a CIE's augmentation to its 'R': how addresses in its FDEs are written. */
static bool read_cie_encoding(const struct elffile *f, uint64_t address, uint8_t *encoding)
{
	uint8_t buf[ENTRY_BYTES], version;
	struct cfi_cursor c = read_entry(f, address, buf);
	const char *letters;

	*encoding = CFI_PE_ABS8;
	cfi_skip(&c, 8);
	version = (uint8_t)cfi_uint(&c, 1);
	letters = cfi_text(&c);
	cfi_uleb(&c);
	cfi_sleb(&c);
	if (version == 1)
		cfi_skip(&c, 1);
	else
		cfi_uleb(&c);
	if (*letters != 'z')
		return !c.bad && !*letters;
	cfi_uleb(&c);
	for (letters++; *letters && *letters != 'R'; letters++) {
		if (*letters == 'L')
			cfi_skip(&c, 1);
		if (*letters == 'P')
			skip_pointer(&c, (uint8_t)cfi_uint(&c, 1), f->is_64);
	}
	if (*letters)
		*encoding = (uint8_t)cfi_uint(&c, 1);
	return !c.bad;
}

/* How many bytes of code the FDE at @address covers; 0 where it cannot be read. */
static uint64_t read_range(const struct elffile *f, uint64_t address)
{
	uint8_t buf[ENTRY_BYTES], encoding;
	struct cfi_cursor c = read_entry(f, address, buf);
	uint64_t length = cfi_uint(&c, 4), cie = cfi_uint(&c, 4);
	size_t width;

	if (c.bad || length == UINT32_MAX || !cie ||
	    !read_cie_encoding(f, address + 4 - cie, &encoding))
		return 0;
	width = pointer_bytes(encoding, f->is_64);
	cfi_skip(&c, width);
	return cfi_uint(&c, width);
}

static bool find_range(const struct fde_table *t, uint64_t address, uint64_t *start, uint64_t *end)
{
	const struct cfi_range *range = cfi_ranges_find(&t->ranges, address);

	if (range) {
		*start = range->start;
		*end = range->end;
	}
	return range;
}

bool fde_find(const struct fde_table *t, uint64_t address, uint64_t *start, uint64_t *end)
{
	size_t low = 0, high = t->rows.n;
	uint64_t range;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (t->address + (uint64_t)(int64_t)t->rows.at[mid].start <= address)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low)
		return find_range(t, address, start, end);
	*start = t->address + (uint64_t)(int64_t)t->rows.at[low - 1].start;
	range = read_range(t->file, t->address + (uint64_t)(int64_t)t->rows.at[low - 1].entry);
	*end = *start + range;
	return address - *start < range;
}
