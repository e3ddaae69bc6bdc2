/*
 * zone_text: names of zones, and slowdowns, in what is said while a capture runs. For source/zone*
 * only.
 */
#ifndef PROBE_ZONE_TEXT_H
#define PROBE_ZONE_TEXT_H

#include "base/str.h"
#include "base/units.h"
#include "probe/zone_state.h"

/* The name of a zone by its number, cut where it is long; the caller's to free. */
char *zone_text_name(const struct zones *, uint32_t number);
/* Adds it to a list in which @before stand already, of which only the first few are named. */
void zone_text_add(const struct zones *, struct str *, uint32_t number, size_t before);
/* 0.034: "3.4 %"; 19: "1,900 %". */
char *zone_text_percent(char buf[UNITS_BUF], double part);

#endif
