/*
 * zone_tables: the rows of zones in a profile. For the source of zones.
 */
#ifndef SOURCE_ZONE_TABLES_H
#define SOURCE_ZONE_TABLES_H

#include "probe/engine.h"
#include "stack/assembly.h"

void zone_tables_fill(const struct engine *, struct assembly *);

#endif
