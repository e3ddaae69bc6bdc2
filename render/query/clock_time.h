/*
 * clock_time: a time of day or a date as --from and --to take it, "14:05:30" or
 * "2026-11-29T14:05:30", in UTC as reports show it, or with Z or an offset, "+01:00".
 */
#ifndef QUERY_CLOCK_TIME_H
#define QUERY_CLOCK_TIME_H

#include <stdbool.h>

#include "model/profile.h"

/* Whether @text is meant as one: other times have no colon. */
bool clock_time_is(const char *text);
/* -EINVAL with a text that names @option. */
int clock_time_check(const char *text, const char *option);
/* *@ns: that time since the capture's start, below 0 before it. A time of day is the one within the
 * capture, else that of the day on which it began. -EINVAL as above; -ENOENT with a text where the
 * profile has no such clock. */
int clock_time_find(const char *text, const char *option, const struct profile *, int64_t *ns);

#endif
