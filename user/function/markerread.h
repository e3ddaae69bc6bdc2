/*
 * markerread: the static markers of a file that patterns select, for zoneread. Only in confined
 * worker processes.
 */
#ifndef FUNCTION_MARKERREAD_H
#define FUNCTION_MARKERREAD_H

#include "debuginfo/zonefile.h"
#include "function/zonelist.h"

/* Adds the markers of the file, which is called @path, that the request's patterns select. A marker
 * that stands at several places has a zone at each. */
void markerread_add(const struct zonefile *, const char *path, const struct zonelist_request *,
		    struct zonelist *out);

#endif
