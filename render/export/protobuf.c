#include "export/protobuf.h"

#include <string.h>

#include "base/str.h"

/* Types of fields on the wire. */
enum wire {
	WIRE_VARINT = 0,
	WIRE_64 = 1,
	WIRE_BYTES = 2,
};

static void varint(struct protobuf *m, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		vec_push(&m->bytes, (uint8_t)(value | 0x80));
	vec_push(&m->bytes, (uint8_t)value);
}

static void tag(struct protobuf *m, uint32_t field, enum wire wire)
{
	varint(m, (uint64_t)field << 3 | wire);
}

static void put(struct protobuf *m, const void *bytes, size_t n)
{
	vec_reserve(&m->bytes, m->bytes.n + n);
	if (n)
		memcpy(m->bytes.at + m->bytes.n, bytes, n);
	m->bytes.n += n;
}

static void put_counted(struct protobuf *m, uint32_t field, const void *bytes, size_t n)
{
	tag(m, field, WIRE_BYTES);
	varint(m, n);
	put(m, bytes, n);
}

void protobuf_uint(struct protobuf *m, uint32_t field, uint64_t value)
{
	tag(m, field, WIRE_VARINT);
	varint(m, value);
}

void protobuf_fixed64(struct protobuf *m, uint32_t field, uint64_t value)
{
	tag(m, field, WIRE_64);
	for (int i = 0; i < 64; i += 8)
		vec_push(&m->bytes, (uint8_t)(value >> i));
}

void protobuf_double(struct protobuf *m, uint32_t field, double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	protobuf_fixed64(m, field, bits);
}

void protobuf_text(struct protobuf *m, uint32_t field, const char *s)
{
	const size_t n = strlen(s);
	_free_ char *clean = str_is_clean(s, n) ? NULL : str_clean(s, n);

	put_counted(m, field, clean ? clean : s, clean ? strlen(clean) : n);
}

void protobuf_message(struct protobuf *m, uint32_t field, const struct protobuf *inner)
{
	put_counted(m, field, inner->bytes.at, inner->bytes.n);
}
