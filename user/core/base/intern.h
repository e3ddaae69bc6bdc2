/*
 * intern: keeps each distinct string once, and numbers them. Number 0 is always "".
 */
#ifndef BASE_INTERN_H
#define BASE_INTERN_H

#include <stddef.h>
#include <stdint.h>

#include "base/hash.h"
#include "base/vec.h"

/* A zeroed intern is valid and holds "" only. */
struct intern {
	VEC(char) bytes;     /* the strings, each with its NUL, in order of number */
	VEC(uint64_t) start; /* where string i starts in bytes */
	struct map by_hash;  /* hash, probed upward on collision → number */
};

uint32_t intern_add(struct intern *, const char *s);
uint32_t intern_addn(struct intern *, const char *s, size_t n);
/* The string; valid until the next addition. @id must be one that was returned. */
const char *intern_text(const struct intern *, uint32_t id);
/* How many strings there are, "" included: at least 1. */
size_t intern_count(const struct intern *);
/* Makes room for @n strings in all, of @bytes with their NULs. */
void intern_reserve(struct intern *, size_t n, size_t bytes);
void intern_release(struct intern *);

#endif
