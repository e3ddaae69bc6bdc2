/*
 * kept: a comparison as a profile stores it (model/regression.h): a capture compares itself with
 * its baseline when it ends, and stores the result for later reports.
 */
#ifndef COMPARE_KEPT_H
#define COMPARE_KEPT_H

#include "compare/result.h"
#include "model/meta.h"
#include "model/regression.h"

/* Puts it into @p, which has none. Numbers keep 7 digits. Histories are not kept. */
void kept_put(const struct comparison *, struct profile *p);

/* The comparison that the profile has; false: none, and *@c is empty. To be released in either
 * case; it outlives the profile. */
bool kept_read(const struct profile *, struct comparison *c);
/* Whether a baseline was asked for, found or not. */
bool kept_is_there(const struct profile *);
/* Why there was nothing to compare with; NULL: there was, or nothing was asked for. */
const char *kept_none(const struct profile *);

#endif
