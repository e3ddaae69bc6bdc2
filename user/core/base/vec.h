/*
 * vec: a growable array of one type. A zeroed vec is empty and valid.
 *
 *	VEC(struct node) nodes = {0};
 *	vec_push(&nodes, ((struct node){.parent = 3}));
 *	for (size_t i = 0; i < nodes.n; i++) use(&nodes.at[i]);
 *	vec_release(&nodes);
 */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* An anonymous vec type; to pass one to a function, name it by a typedef or a struct. */
#define VEC(T)                 \
	struct {               \
		T *at;         \
		size_t n, cap; \
	}

/* Room for at least @want elements in all. */
#define vec_reserve(v, want)                                                                    \
	do {                                                                                    \
		size_t want_ = (want);                                                          \
		if (want_ > (v)->cap) {                                                         \
			(v)->cap = (v)->cap * 2 > want_ ? (v)->cap * 2 : want_ < 8 ? 8 : want_; \
			(v)->at = mem_realloc((v)->at, (v)->cap, sizeof(*(v)->at));             \
		}                                                                               \
	} while (0)

#define vec_push(v, item)                   \
	do {                                \
		vec_reserve(v, (v)->n + 1); \
		(v)->at[(v)->n++] = (item); \
	} while (0)

/* A new zeroed element at the end; a pointer to it, valid until the next growth. */
#define vec_add(v)                                             \
	({                                                     \
		vec_reserve(v, (v)->n + 1);                    \
		memset(&(v)->at[(v)->n], 0, sizeof(*(v)->at)); \
		&(v)->at[(v)->n++];                            \
	})

/* How many elements have a @member of at most @key; they must ascend by it. */
#define vec_upto(v, member, key)                                       \
	({                                                             \
		const __typeof__((v)->at->member) key_ = (key);        \
		size_t low_ = 0, high_ = (v)->n;                       \
		while (low_ < high_) {                                 \
			const size_t mid_ = low_ + (high_ - low_) / 2; \
			if ((v)->at[mid_].member <= key_)              \
				low_ = mid_ + 1;                       \
			else                                           \
				high_ = mid_;                          \
		}                                                      \
		low_;                                                  \
	})

/* Loops over the elements of the vec @v by a pointer; the vec must not grow meanwhile. */
#define vec_each(each, v) \
	for (__typeof__((v)->at + 0) each = (v)->at; each && each < (v)->at + (v)->n; each++)

/* Sorts by @compare, as qsort(3), or with a @context as qsort_r(3). */
#define vec_sort(v, compare)                                               \
	do {                                                               \
		if ((v)->n)                                                \
			qsort((v)->at, (v)->n, sizeof(*(v)->at), compare); \
	} while (0)
#define vec_sort_by(v, compare, context)                                                      \
	do {                                                                                  \
		if ((v)->n)                                                                   \
			qsort_r((v)->at, (v)->n, sizeof(*(v)->at), compare, (void *)context); \
	} while (0)

/* For functions that compare: -1, 0 or 1. A chain is by_a ?: by_b ?: by_c. */
#define order_up(a, b)	 (((a) > (b)) - ((a) < (b)))
#define order_down(a, b) order_up(b, a)

/* The numbers of @n elements of @size bytes in the order of their key, a u32 at @member: a counting
 * sort, which leaves equal ones in their order. Keys are below @keys. *@ends (or NULL) gets per key
 * where its elements end. Both are freed by the caller. */
static inline uint32_t *order_by_key(const void *first, size_t size, size_t member, size_t n,
				     size_t keys, uint32_t **ends)
{
	const char *at = first;
	uint32_t *end = mem_zalloc(keys + 2, sizeof(*end));
	uint32_t *order = mem_zalloc(n + 1, sizeof(*order));

	for (size_t i = 0; i < n; i++)
		end[*(const uint32_t *)(at + i * size + member) + 1]++;
	for (size_t i = 0; i < keys; i++)
		end[i + 1] += end[i];
	/* Until its elements are in, a key's end is where they start. */
	for (size_t i = 0; i < n; i++)
		order[end[*(const uint32_t *)(at + i * size + member)]++] = (uint32_t)i;
	if (ends)
		*ends = end;
	else
		free(end);
	return order;
}

#define vec_order(v, member, keys, ends)                                                        \
	order_by_key((v)->at, sizeof(*(v)->at), offsetof(__typeof__(*(v)->at), member), (v)->n, \
		     keys, ends)

/* Removes the first @count elements. */
#define vec_drop_first(v, count)                                              \
	do {                                                                  \
		const size_t drop_ = (count);                                 \
		(v)->n -= drop_;                                              \
		memmove((v)->at, (v)->at + drop_, (v)->n * sizeof(*(v)->at)); \
	} while (0)

#define vec_release(v)                 \
	do {                           \
		free((v)->at);         \
		(v)->at = NULL;        \
		(v)->n = (v)->cap = 0; \
	} while (0)

/* The index of the first of @addresses that is not below @value; @n if all are. */
static inline size_t bound_lower(const uint64_t *addresses, size_t n, uint64_t value)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (addresses[mid] < value)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

#endif
