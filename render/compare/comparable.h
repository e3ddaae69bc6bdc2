/*
 * comparable: whether runs can be compared at all, and per what.
 */
#ifndef COMPARE_COMPARABLE_H
#define COMPARE_COMPARABLE_H

#include "compare/result.h"

/* Describes the runs; sets not_comparable where some are of another CPU or architecture, notes on
 * kernels and numbers of CPUs that differ, per where that is PER_AUTO, and the program's alias in
 * the subjects. */
void comparable_check(const struct compare_input *, struct comparison *);

/* Whether the new side's program is the base's under another name: then functions of module *@alias
 * are taken for those of *@of. Both are the profiles', or NULL. */
bool comparable_alias(const struct compare_input *, const char **alias, const char **of);

/* Whether the run is of a command from its start to its end: amounts of two such are comparable. */
bool comparable_is_whole(const struct profile *);

#endif
