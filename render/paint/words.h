/*
 * words: text that must fit: where a line may break (at a space, but not between a number and its
 * unit), and how a name is cut. For every format.
 */
#ifndef PAINT_WORDS_H
#define PAINT_WORDS_H

#include <stddef.h>

/* Bytes of @text up to the first space at which a line may break; all of it where there is none. */
size_t words_run(const char *text);

/* A copy with no-break spaces (U+00A0) where no line may break, for what wraps by itself. Freed by
 * the caller. */
char *words_tie(const char *text);

/* The UTF-8 @s in at most @columns code points, cut in the middle with "…" where it is longer:
 * the start of a C++ name tells its namespace, the end its method. "" for 0 columns. Freed by
 * the caller. */
char *cut_middle(const char *s, size_t columns);

/* The same for a box of a flame graph: where there is little room the start alone is kept. */
char *cut_label(const char *s, size_t columns);

#endif
