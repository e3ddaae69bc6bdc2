/*
 * protobuf: writes messages of protocol buffers, field by field, into bytes that grow. For exports
 * of messages that are small and many. A message within another is made first, then added to it.
 * The encoding is https://protobuf.dev/programming-guides/encoding/.
 */
#ifndef EXPORT_PROTOBUF_H
#define EXPORT_PROTOBUF_H

#include <stdint.h>

#include "base/vec.h"

/* A zeroed one is empty. n = 0 makes it ready for the next message. */
struct protobuf {
	VEC(uint8_t) bytes;
};

static inline void protobuf_clear(struct protobuf *m)
{
	m->bytes.n = 0;
}
static inline void protobuf_release(struct protobuf *m)
{
	vec_release(&m->bytes);
}

/* Fields of uint32, uint64, enum, bool, and of int64 and int32, whose sign is extended. */
void protobuf_uint(struct protobuf *, uint32_t field, uint64_t value);
void protobuf_fixed64(struct protobuf *, uint32_t field, uint64_t value);
void protobuf_double(struct protobuf *, uint32_t field, double value);
/* UTF-8, as str_clean() makes it of @s. */
void protobuf_text(struct protobuf *, uint32_t field, const char *s);
void protobuf_message(struct protobuf *, uint32_t field, const struct protobuf *inner);

#endif
