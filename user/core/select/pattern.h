/*
 * pattern: matches names as a user writes them: a glob (*, ?, [set], \ before a literal character)
 * for the whole name, or an extended /regular expression/ for any part of it.
 */
#ifndef SELECT_PATTERN_H
#define SELECT_PATTERN_H

#include <stdbool.h>

struct pattern;

/* -EINVAL with a text for an empty pattern or a bad expression. Owned by the caller. */
int pattern_new(const char *text, struct pattern **out);
bool pattern_match(const struct pattern *, const char *name);
void pattern_free(struct pattern *);

#endif
