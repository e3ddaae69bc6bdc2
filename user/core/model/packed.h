/*
 * packed: passes arrays and texts to another process of the same build, and reads them there within
 * their bounds: the bytes may come from a process that a stranger's file took over.
 */
#ifndef MODEL_PACKED_H
#define MODEL_PACKED_H

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/intern.h"
#include "base/str.h"
#include "base/vec.h"

/* Appends the elements of a VEC. */
#define PACKED_ADD(out, v) \
	str_addn(out, (v)->n ? (const char *)(v)->at : "", (v)->n * sizeof(*(v)->at))

/* The bytes that were not read yet. */
struct packed {
	const char *at;
	size_t n;
};

/* The next @n elements of @bytes each; NULL if there are not so many. */
static inline const char *packed_take(struct packed *rest, uint64_t n, size_t bytes)
{
	const char *at = rest->at;

	if (n > rest->n / bytes)
		return NULL;
	rest->at += n * bytes;
	rest->n -= n * bytes;
	return at;
}

/* Reads the next element; 0 or -EINVAL. */
#define PACKED_TAKE(rest, to)                                            \
	({                                                               \
		const char *from_ = packed_take(rest, 1, sizeof(*(to))); \
		if (from_)                                               \
			memcpy(to, from_, sizeof(*(to)));                \
		from_ ? 0 : -EINVAL;                                     \
	})

/* Reads the next @count elements to the end of a VEC; 0 or -EINVAL. */
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

/* Reads the next @n bytes, the bytes of an intern, to an empty one: each text must come once, so
 * that it gets the same number. 0 or -EINVAL. */
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
