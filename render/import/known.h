/*
 * known: what was made of a text that comes again and again: the frame of "memcpy (libc.so.6)". For
 * importers, whose lines repeat by the million.
 */
#ifndef IMPORT_KNOWN_H
#define IMPORT_KNOWN_H

#include <stdbool.h>

#include "base/input.h"
#include "base/intern.h"

/* A zeroed one knows nothing. */
struct known {
	struct intern texts;
	VEC(uint32_t) values; /* by the text's number */
};

/* The value of @text; *@fresh: it was not known, and is to be set. Valid until the next call. */
static inline uint32_t *known_at(struct known *k, struct span text, bool *fresh)
{
	const uint32_t id = intern_addn(&k->texts, text.s, text.n);

	/* "", which every intern has, may be met first or last. */
	while (k->values.n <= id)
		vec_push(&k->values, UINT32_MAX);
	*fresh = k->values.at[id] == UINT32_MAX;
	return &k->values.at[id];
}

static inline void known_release(struct known *k)
{
	intern_release(&k->texts);
	vec_release(&k->values);
}

#endif
