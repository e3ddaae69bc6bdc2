/*
 * kept: a comparison as a profile keeps it (model/regression.h): what a capture found against its
 * baseline, put into the profile when it ends, and read by whoever shows it later.
 */
#ifndef COMPARE_KEPT_H
#define COMPARE_KEPT_H

#include "base/str.h"
#include "compare/result.h"
#include "model/profile.h"

/* kept.c, kept_read.c, kept_pack.c. */

/* Puts it into @p, which has none. Numbers keep 7 digits. Histories are not kept. */
void kept_put(const struct comparison *, struct profile *p);
/* Puts in that there was nothing to compare with, and why: one sentence. */
void kept_put_none(struct profile *p, const char *why);

/* The comparison that the profile has; false: none, and *@c is empty. To be released in either
 * case; it outlives the profile. */
bool kept_read(const struct profile *, struct comparison *c);
/* Whether a baseline was asked for, found or not. */
bool kept_is_there(const struct profile *);
/* Why there was nothing to compare with; NULL: there was, or nothing was asked for. */
const char *kept_none(const struct profile *);
/* "regressed against 1.4.1 (5 runs): 2 regressed, 0 improved, …", or "no baseline: …"; NULL where
 * nothing was asked for. Freed by the caller. */
char *kept_line(const struct profile *);

/* What a profile keeps as bytes, for another process, and back into an empty profile. The bytes may
 * come from a process that a stranger's file took over: -EINVAL with a text for what is no such
 * thing; what it takes is in proportion to @n. */
void kept_pack(const struct profile *, struct str *out);
int kept_unpack(const char *at, size_t n, struct profile *out);

#endif
