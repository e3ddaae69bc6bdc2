#include "elf/fde.h"

#include <string.h>

#include "elf/segments.h"

/* Pointer encodings of .eh_frame (LSB 5.0, 10.5). */
#define PE_FORM_MASK	  0x07 /* the size; bit 3 is the sign */
#define PE_UDATA4	  0x03
#define PE_DATAREL_SDATA4 0x3b

#define HDR_BYTES 12 /* version, three encodings, pointer, count */

/* The head of an entry that matters here; longer augmentations are not seen in practice. */
#define ENTRY_BYTES 64

struct bytes {
	const uint8_t *at, *end;
};

static bool skip(struct bytes *b, size_t n)
{
	if ((size_t)(b->end - b->at) < n)
		return false;
	b->at += n;
	return true;
}

static bool get_byte(struct bytes *b, uint8_t *out)
{
	if (b->at == b->end)
		return false;
	*out = *b->at++;
	return true;
}

static bool skip_leb(struct bytes *b)
{
	uint8_t byte;

	do {
		if (!get_byte(b, &byte))
			return false;
	} while (byte & 0x80);
	return true;
}

/* How many bytes a pointer of @encoding takes; 0: of no fixed size. */
static size_t pointer_bytes(uint8_t encoding, bool is_64)
{
	static const size_t sizes[] = {0, 0, 2, 4, 8, 0, 0, 0};

	return (encoding & 0x0f) == 0 ? (is_64 ? 8 : 4) : sizes[encoding & PE_FORM_MASK];
}

void fde_open(const struct elffile *f, struct fde_table *t)
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
		    count > f->bytes / sizeof(struct fde_row))
			continue;
		t->address = p->p_vaddr;
		vec_reserve(&t->rows, count);
		if (!elffile_read(f, p->p_offset + HDR_BYTES, t->rows.at,
				  count * sizeof(struct fde_row)))
			t->rows.n = count;
		return;
	}
}

void fde_release(struct fde_table *t)
{
	vec_release(&t->rows);
}

/* As many of ENTRY_BYTES as the file has at @address; 0 where it is in no segment. */
static size_t read_entry(const struct elffile *f, uint64_t address, uint8_t *buf)
{
	uint64_t offset;
	size_t n = ENTRY_BYTES;

	if (!segments_offset(f, address, &offset) || offset >= f->bytes)
		return 0;
	if (n > f->bytes - offset)
		n = f->bytes - offset;
	return elffile_read(f, offset, buf, n) ? 0 : n;
}

/* Walks a CIE's augmentation to its 'R': how addresses in its FDEs are written. */
static bool read_cie_encoding(const struct elffile *f, uint64_t address, uint8_t *encoding)
{
	uint8_t buf[ENTRY_BYTES], version, byte;
	size_t n = read_entry(f, address, buf);
	struct bytes b = {buf, buf + n};
	const uint8_t *aug;

	*encoding = 0;
	if (!skip(&b, 8) || !get_byte(&b, &version))
		return false;
	aug = b.at;
	do {
		if (!get_byte(&b, &byte))
			return false;
	} while (byte);
	if (!skip_leb(&b) || !skip_leb(&b) || !(version == 1 ? skip(&b, 1) : skip_leb(&b)))
		return false;
	if (*aug != 'z')
		return *aug == '\0';
	if (!skip_leb(&b))
		return false;
	for (aug++; *aug; aug++) {
		if (*aug == 'R')
			return get_byte(&b, encoding);
		if (*aug == 'L' && !skip(&b, 1))
			return false;
		if (*aug == 'P' && (!get_byte(&b, &byte) || !pointer_bytes(byte, f->is_64) ||
				    !skip(&b, pointer_bytes(byte, f->is_64))))
			return false;
	}
	return true;
}

/* How many bytes of code the FDE at @address covers; 0 where it cannot be read. */
static uint64_t read_range(const struct elffile *f, uint64_t address)
{
	uint8_t buf[ENTRY_BYTES], encoding;
	size_t n = read_entry(f, address, buf), width;
	uint32_t length, cie;
	uint64_t range = 0;

	if (n < 8)
		return 0;
	memcpy(&length, buf, sizeof(length));
	memcpy(&cie, buf + 4, sizeof(cie));
	if (length == UINT32_MAX || !cie || !read_cie_encoding(f, address + 4 - cie, &encoding))
		return 0;
	width = pointer_bytes(encoding, f->is_64);
	if (!width || 8 + 2 * width > n)
		return 0;
	memcpy(&range, buf + 8 + width, width);
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
		return false;
	*start = t->address + (uint64_t)(int64_t)t->rows.at[low - 1].start;
	range = read_range(t->file, t->address + (uint64_t)(int64_t)t->rows.at[low - 1].entry);
	*end = *start + range;
	return address - *start < range;
}
