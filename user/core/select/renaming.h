/*
 * renaming: the names found for a profile's unnamed addresses (unnamed.h): the frames of each
 * address. The process that reads debug files packs them for the one that writes the profile.
 */
#ifndef SELECT_RENAMING_H
#define SELECT_RENAMING_H

#include "base/intern.h"
#include "base/str.h"
#include "model/profile.h"
#include "select/unnamed.h"

struct renaming_function {
	uint32_t name, linkage, file; /* texts */
	uint32_t line;
};
struct renaming_frame {
	uint32_t function, line, inlined;
};
/* The frames of one address, innermost first; none: it stays unnamed. */
struct renaming_span {
	uint32_t first, n;
};

struct renaming {
	struct intern texts;
	VEC(struct renaming_function) functions;
	VEC(struct renaming_frame) frames;
	VEC(struct renaming_span) spans; /* by address, in the order of modules and addresses */
};

void renaming_release(struct renaming *);

/* Puts the names into the profile, whose unnamed addresses must still be the same. */
void renaming_apply(const struct renaming *, struct profile *);

void renaming_pack(const struct renaming *, struct str *out);
/* -EINVAL with a text for bytes that renaming_pack() would not make, or not for so many @addresses.
 * To be released in either case. */
int renaming_unpack(const char *at, size_t n, size_t addresses, struct renaming *);

/* Replaces frame i, of the first @n, by the frames by[first[i] … first[i + 1] - 1], innermost
 * first; if there are none, it stays. Cells that refer to frames and functions are renumbered,
 * equal stacks become one, and unused frames and functions are dropped. */
void reframe(struct profile *, const uint32_t *first, const uint32_t *by, size_t n);

#endif
