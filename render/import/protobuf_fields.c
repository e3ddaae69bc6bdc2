#include "import/protobuf_fields.h"

#define FIELD_MOST ((1u << 29) - 1)

bool protobuf_varint(struct span *at, uint64_t *out)
{
	*out = 0;
	for (unsigned shift = 0; at->n && shift < 64; shift += 7) {
		const uint8_t byte = (uint8_t)at->s[0];

		*out |= (uint64_t)(byte & 0x7f) << shift;
		*at = span_from(*at, 1);
		if (byte < 0x80)
			return true;
	}
	return false;
}

/* @n bytes of a number, the least first. */
static bool take_fixed(struct span *at, size_t n, uint64_t *out)
{
	if (at->n < n)
		return false;
	for (size_t i = 0; i < n; i++)
		*out |= (uint64_t)(uint8_t)at->s[i] << (8 * i);
	*at = span_from(*at, n);
	return true;
}

static bool take_bytes(struct span *at, struct span *out)
{
	uint64_t n;

	if (!protobuf_varint(at, &n) || n > at->n)
		return false;
	*out = (struct span){at->s, (size_t)n};
	*at = span_from(*at, (size_t)n);
	return true;
}

/* Groups (3 and 4) are of old messages alone. */
static bool take_value(struct span *at, unsigned type, struct protobuf_field *out)
{
	switch (type) {
	case 0:
		return protobuf_varint(at, &out->value);
	case 1:
		return take_fixed(at, 8, &out->value);
	case 2:
		return take_bytes(at, &out->bytes);
	case 5:
		return take_fixed(at, 4, &out->value);
	default:
		return false;
	}
}

bool protobuf_next(struct span *at, struct protobuf_field *out)
{
	struct span rest = *at;
	uint64_t tag;

	*out = (struct protobuf_field){0};
	if (!rest.n || !protobuf_varint(&rest, &tag) || !(tag >> 3) || tag >> 3 > FIELD_MOST)
		return false;
	out->number = (uint32_t)(tag >> 3);
	if (!take_value(&rest, (unsigned)(tag & 7), out))
		return false;
	*at = rest;
	return true;
}
