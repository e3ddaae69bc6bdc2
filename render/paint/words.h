/*
 * words: where a line of text may break: at a space, but not between a number and its unit. For
 * every format that wraps text.
 */
#ifndef PAINT_WORDS_H
#define PAINT_WORDS_H

#include <stddef.h>

/* Bytes of @text up to the first space at which a line may break; all of it where there is none. */
size_t words_run(const char *text);

/* A copy with no-break spaces (U+00A0) where no line may break, for what wraps by itself. Freed by
 * the caller. */
char *words_tie(const char *text);

#endif
