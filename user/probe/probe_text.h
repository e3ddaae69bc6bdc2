/*
 * probe_text: formats names of zones and slowdowns for messages during a capture. For source/zone*
 * only.
 */
#ifndef PROBE_TEXT_H
#define PROBE_TEXT_H

#include "base/str.h"
#include "base/units.h"
#include "probe/engine.h"

/* The name of a zone by its number, shortened if long; owned by the caller. */
char *probe_text_name(const struct engine *, uint32_t number);
/* Adds it to a list that already contains @before; only the first few are named. */
void probe_text_add(const struct engine *, struct str *, uint32_t number, size_t before);
/* 0.034: "3.4 %"; 19: "1,900 %". */
char *probe_text_percent(char buf[UNITS_BUF], double part);

#endif
