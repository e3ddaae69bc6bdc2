/*
 * ascii: what is shown where the locale is not of UTF-8. Our own signs have a spelling in ASCII,
 * "µs" is "us", "…" is "...", "›" is ">"; letters of others become '?'.
 */
#ifndef BASE_ASCII_H
#define BASE_ASCII_H

#include <stdbool.h>
#include <stdio.h>

/*
 * Whether the locale of the environment (LC_ALL, LC_CTYPE, LANG, in this order) has another charset
 * than UTF-8; unset it is "C", which has. A locale that is not installed is taken at its name's
 * word. Changes no locale.
 */
bool ascii_wanted(void);

/* The UTF-8 @s in ASCII; bad bytes become '?'. Freed by the caller. */
char *ascii_text(const char *s);

/* A stream that writes what it gets to @fd in ASCII; unbuffered where @now. Never closes @fd.
 * Lives as long as the program. Where there is no memory: NULL. */
FILE *ascii_stream(int fd, bool now);

#endif
