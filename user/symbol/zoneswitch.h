/*
 * zoneswitch: functions that leave the stack that they were called on for another, by their names.
 */
#ifndef SYMBOL_ZONESWITCH_H
#define SYMBOL_ZONESWITCH_H

#include <stdbool.h>

#include "debuginfo/zonefile.h"
#include "symbol/zonelist.h"

/* Whether that is what the function @name is for, as is known or as the request says. A version
 * may stand behind an "@". */
bool zoneswitch_is(const char *name, const struct zonelist_request *);
/* Whether the file has such functions from others, or what makes up one: a stack for signals and
 * jumps back to it. */
bool zoneswitch_used(const struct zonefile *, const struct zonelist_request *);

#endif
