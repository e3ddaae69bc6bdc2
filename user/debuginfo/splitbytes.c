#include "debuginfo/splitbytes.h"

#include <string.h>

uint64_t split_bytes_left(const struct split_bytes *b)
{
	return b->at ? (uint64_t)(b->end - b->at) : 0;
}

struct split_bytes split_bytes_from(const struct split_bytes *b, uint64_t offset)
{
	return offset < split_bytes_left(b) ? (struct split_bytes){b->at + offset, b->end}
					    : (struct split_bytes){0};
}

bool split_bytes_fixed(struct split_bytes *b, unsigned int bytes, uint64_t *out)
{
	*out = 0;
	if (split_bytes_left(b) < bytes)
		return false;
	memcpy(out, b->at, bytes);
	b->at += bytes;
	return true;
}

bool split_bytes_uleb(struct split_bytes *b, uint64_t *out)
{
	*out = 0;
	for (unsigned int shift = 0; shift < 64 && split_bytes_left(b); shift += 7) {
		const uint8_t byte = *b->at++;

		*out |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}
