#include "cfi/cfi_entry.h"

#include "cfi/cfi_pointer.h"
#include "cfi/cfi_value.h"

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
