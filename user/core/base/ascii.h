/*
 * ascii: output for locales without UTF-8. eprof's own signs have a spelling in ASCII, "µs" is
 * "us", "…" is "...", "›" is ">"; other characters become '?'.
 */
#ifndef BASE_ASCII_H
#define BASE_ASCII_H

#include <stdbool.h>
#include <stdio.h>

/* Whether the locale of the environment (LC_ALL, LC_CTYPE, LANG, in this order; else "C") has
 * another charset than UTF-8. If the locale is not installed, its name decides. Sets no locale. */
bool ascii_wanted(void);

/* The UTF-8 @s in ASCII; bad bytes become '?'. Freed by the caller. */
char *ascii_text(const char *s);

/* A stream that writes to @fd in ASCII, unbuffered if @now. It never closes @fd, and lives as long
 * as the program. NULL without memory. */
FILE *ascii_stream(int fd, bool now);

#endif
