/*
 * cut: names that fit. For every format that draws text of fixed width.
 */
#ifndef PAINT_CUT_H
#define PAINT_CUT_H

#include <stddef.h>

/* The UTF-8 @s in at most @columns code points, cut in the middle with "…" where it is longer:
 * the start of a C++ name tells its namespace, the end its method. "" for 0 columns. Freed by
 * the caller. */
char *cut_middle(const char *s, size_t columns);

/* The same for a box of a flame graph: where there is little room the start alone is kept. */
char *cut_label(const char *s, size_t columns);

#endif
