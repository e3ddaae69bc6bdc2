/*
 * json_write: strings and numbers of JSON (RFC 8259), written by hand since exports may be long: a
 * library would hold all of it in memory first. For the exports.
 */
#ifndef PAINT_JSON_WRITE_H
#define PAINT_JSON_WRITE_H

#include <stdint.h>
#include <stdio.h>

/* @before, then @s in quotes: as str_clean() makes it, well-formed UTF-8 on one line. "</" is
 * written "<\/", so that it may stand in a script of a page. */
void json_text(FILE *out, const char *before, const char *s);
/* @before, then the number: what fprintf() prints, in a third of the time. */
void json_int(FILE *out, const char *before, int64_t value);
/* The same of a number of thousandths: 1500 is 1.500. */
void json_thousandths(FILE *out, const char *before, int64_t value);

#endif
