/*
 * zone_match: which zones of a profile a pattern means.
 */
#ifndef QUERY_ZONE_MATCH_H
#define QUERY_ZONE_MATCH_H

#include <stdbool.h>

#include "model/profile.h"

/* *@out: per zone whether @pattern means it: by glob, /regular expression/ or plain equality, on
 * the name as it is or without its parameter list. NULL for a NULL pattern. Freed by the caller.
 * -EINVAL for a bad pattern, -ENOENT with the largest zones' names when it means none. */
int zone_match(const struct profile *, const char *pattern, bool **out);

#endif
