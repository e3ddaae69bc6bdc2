#include "cfi/cfi_cursor.h"

/* The low four bits are the form of the value, the next three what it is relative to. */
#define PE_FORM	    0x0f
#define PE_RELATIVE 0x70
#define PE_INDIRECT 0x80

#define PE_ULEB	   0x01
#define PE_SLEB	   0x09
#define PE_SIGNED  0x08
#define PE_PCREL   0x10
#define PE_DATAREL 0x30

size_t cfi_pointer_bytes(uint8_t encoding)
{
	static const uint8_t bytes[PE_FORM + 1] = {
		[0x00] = 8, [0x02] = 2, [0x03] = 4, [0x04] = 8,
		[0x08] = 8, [0x0a] = 2, [0x0b] = 4, [0x0c] = 8,
	};

	return bytes[encoding & PE_FORM];
}

uint64_t cfi_pointer_value(struct cfi_cursor *c, uint8_t encoding)
{
	size_t n = cfi_pointer_bytes(encoding);
	uint64_t value;

	if ((encoding & PE_FORM) == PE_ULEB)
		return cfi_uleb(c);
	if ((encoding & PE_FORM) == PE_SLEB)
		return (uint64_t)cfi_sleb(c);
	if (!n)
		cfi_fail(c);
	value = cfi_uint(c, n);
	if ((encoding & PE_SIGNED) && n == 4)
		return (uint64_t)(int64_t)(int32_t)value;
	if ((encoding & PE_SIGNED) && n == 2)
		return (uint64_t)(int64_t)(int16_t)value;
	return value;
}

uint64_t cfi_pointer(struct cfi_cursor *c, uint8_t encoding, const struct cfi_bases *bases)
{
	uint64_t here = bases->address + (uint64_t)(c->at - bases->start);

	if (encoding & PE_INDIRECT)
		cfi_fail(c);
	switch (encoding & PE_RELATIVE) {
	case 0:
		return cfi_pointer_value(c, encoding);
	case PE_PCREL:
		return here + cfi_pointer_value(c, encoding);
	case PE_DATAREL:
		if (bases->data)
			return bases->data + cfi_pointer_value(c, encoding);
	}
	cfi_fail(c);
	return 0;
}
