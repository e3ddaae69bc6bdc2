/*
 * kept_bytes: a comparison that a profile keeps (regression.h), as bytes on their way from the
 * process that compared, and for those that know no more of it: that there is none, and a line.
 */
#ifndef MODEL_KEPT_BYTES_H
#define MODEL_KEPT_BYTES_H

#include "base/str.h"
#include "model/profile.h"

/* Puts in that there was nothing to compare with, and why: one sentence. */
void kept_put_none(struct profile *p, const char *why);
/* "regressed against 1.4.1 (5 runs): 2 regressed, 0 improved, …", or "no baseline: …"; NULL where
 * nothing was asked for. Freed by the caller. */
char *kept_line(const struct profile *);

/* What a profile keeps as bytes, for another process, and back into an empty profile. The bytes may
 * come from a process that a stranger's file took over: -EINVAL with a text for what is no such
 * thing; what it takes is in proportion to @n. */
void kept_pack(const struct profile *, struct str *out);
int kept_unpack(const char *at, size_t n, struct profile *out);

#endif
