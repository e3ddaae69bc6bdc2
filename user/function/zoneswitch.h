/*
 * zoneswitch: recognises, by name, functions that switch to another stack (coroutine switches).
 */
#ifndef FUNCTION_ZONESWITCH_H
#define FUNCTION_ZONESWITCH_H

#include <stdbool.h>

#include "debuginfo/zonefile.h"
#include "function/zonelist.h"

/* Whether that is what the function @name is for, as is known or as the request says. A version
 * may stand behind an "@". */
bool zoneswitch_is(const char *name, const struct zonelist_request *);
/* Whether the file has such functions from others, or what makes up one: a stack for signals and
 * jumps back to it. */
bool zoneswitch_used(const struct zonefile *, const struct zonelist_request *);

#endif
