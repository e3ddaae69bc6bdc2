/*
 * wait_ends: who ended the waits of threads, as a table. For the view blockers.
 */
#ifndef VIEW_WAIT_ENDS_H
#define VIEW_WAIT_ENDS_H

#include "view/view.h"

/* Adds it; nothing where the profile does not know. @selected: by thread; NULL: all. */
void wait_ends_write(const struct view_input *, const bool *selected, struct doc *);

#endif
