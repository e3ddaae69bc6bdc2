/*
 * json: strings and numbers of JSON (RFC 8259), written by hand: what commands print in ASCII, and
 * exports, which may be so long that no library should hold all of one in memory.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdint.h>
#include <stdio.h>

#include "base/str.h"

/* A string with its quotes, in ASCII, so that no locale matters: U+00B5 is \u00b5. */
void json_quoted(struct str *, const char *text);
/* , "name": "text"; null for NULL. The name needs no escapes. */
void json_member(struct str *, const char *name, const char *text);
/* , "name": true or false. */
void json_flag(struct str *, const char *name, bool value);

/* @before, then @s in quotes: as str_clean() makes it, well-formed UTF-8 on one line. "</" is
 * written "<\/", so that it may stand in a script of a page. */
void json_text(FILE *out, const char *before, const char *s);
/* @before, then the number: what fprintf() prints, in a third of the time. */
void json_int(FILE *out, const char *before, int64_t value);
/* The same of a number of thousandths: 1500 is 1.500. */
void json_thousandths(FILE *out, const char *before, int64_t value);

#endif
