/*
 * packed: reads what another process packed, step by step and within its bounds. The bytes may come
 * from a process that a stranger's file took over.
 */
#ifndef MODEL_PACKED_H
#define MODEL_PACKED_H

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/intern.h"
#include "base/vec.h"

/* The bytes that were not read yet. */
struct packed {
	const char *at;
	size_t n;
};

/* The next @n things of @bytes each; NULL where there are not so many. */
static inline const char *packed_take(struct packed *rest, uint64_t n, size_t bytes)
{
	const char *at = rest->at;

	if (n > rest->n / bytes)
		return NULL;
	rest->at += n * bytes;
	rest->n -= n * bytes;
	return at;
}

/* Appends the next @count elements to a VEC; 0 or -EINVAL. */
#define PACKED_TAKE_ALL(rest, v, count)                                             \
	({                                                                          \
		const uint64_t count_ = (count);                                    \
		const char *from_ = packed_take(rest, count_, sizeof(*(v)->at));    \
		if (from_ && count_) {                                              \
			vec_reserve(v, (v)->n + count_);                            \
			memcpy((v)->at + (v)->n, from_, count_ * sizeof(*(v)->at)); \
			(v)->n += count_;                                           \
		}                                                                   \
		from_ ? 0 : -EINVAL;                                                \
	})

/* Adds the next @n bytes, texts in the order of their numbers, to an empty intern: each must come
 * once, so that they have the same numbers there. 0 or -EINVAL. */
static inline int packed_take_texts(struct packed *rest, uint64_t n, struct intern *texts)
{
	const char *at = packed_take(rest, n, 1), *end = at ? at + n : NULL;

	if (!at || (n && end[-1]))
		return -EINVAL;
	for (uint32_t i = 0; at < end; i++, at += strlen(at) + 1)
		if (intern_add(texts, at) != i)
			return -EINVAL;
	return 0;
}

#endif
