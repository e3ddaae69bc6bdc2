/*
 * paths: the hottest stacks as a block, for every view that shows some. For the views only.
 */
#ifndef VIEW_PATHS_H
#define VIEW_PATHS_H

#include "view/view.h"

/* Adds up to @most paths, none of less than half a percent, under a heading. */
void paths_add(const struct view_input *, struct doc *, const char *heading, size_t most);

#endif
