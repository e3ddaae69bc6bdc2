/*
 * json: writes strings and numbers of JSON (RFC 8259): in ASCII for commands, and for exports,
 * which may be so long that no library should hold one in memory.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/str.h"

/* A string in quotes and in ASCII, so that no locale matters: U+00B5 is \u00b5. */
void json_quoted(struct str *, const char *text);
/* , "name": "text"; null for NULL. The name needs no escapes. */
void json_member(struct str *, const char *name, const char *text);
/* , "name": true or false. */
void json_flag(struct str *, const char *name, bool value);

/* @before, then @s in quotes, as str_clean() makes it: UTF-8 on one line. "</" becomes "<\/", so
 * that the text may stand in a script of a page. */
void json_text(FILE *out, const char *before, const char *s);
/* The same, and null where @s is NULL. */
void json_text_or_null(FILE *out, const char *before, const char *s);
void json_bool(FILE *out, const char *before, bool value);
/* @before, then the number, in a third of the time that fprintf() takes. */
void json_int(FILE *out, const char *before, int64_t value);
/* The same of a number of thousandths: 1500 is 1.500. */
void json_thousandths(FILE *out, const char *before, int64_t value);

/* The same of a double, with the 15 digits that one has; null where it is not finite. */
void json_double(FILE *out, const char *before, double value);

#endif
