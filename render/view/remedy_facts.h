/*
 * remedy_facts: what the user can do about what the profile lacks, as facts of the summary: names
 * of generated code, debug information, whole stacks, waits of goroutines.
 */
#ifndef VIEW_REMEDY_FACTS_H
#define VIEW_REMEDY_FACTS_H

#include "view/view.h"

void remedy_facts(const struct view_input *, struct doc_block *);
/* Whether so much lacks a name that what to do about it belongs to the first that is read. */
bool remedy_is_first(const struct view_input *);

#endif
