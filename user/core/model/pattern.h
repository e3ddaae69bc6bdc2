/*
 * pattern: what a user writes to choose names: a glob (*, ?, [set], \ to take the next character
 * as it is) on the whole name, or an extended /regular expression/ anywhere in it.
 */
#ifndef MODEL_PATTERN_H
#define MODEL_PATTERN_H

#include <stdbool.h>

struct pattern;

/* -EINVAL with a text for an empty pattern or a bad expression. Owned by the caller. */
int pattern_new(const char *text, struct pattern **out);
bool pattern_match(const struct pattern *, const char *name);
void pattern_free(struct pattern *);

#endif
