#include "cfi/cfi_section.h"

#include <errno.h>
#include <stdlib.h>
#include <zlib.h>

#include "base/err.h"
#include "base/mem.h"
#include "cfi/cfi_cursor.h"
#include "cfi/cfi_value.h"

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
