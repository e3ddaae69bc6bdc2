/*
 * json: texts and members of JSON objects (RFC 8259), for the commands that print some.
 */
#ifndef CMD_JSON_H
#define CMD_JSON_H

#include "base/str.h"

/* A string with its quotes, in ASCII, so that no locale matters: U+00B5 is \u00b5. */
void json_quoted(struct str *, const char *text);
/* , "name": "text"; null for NULL. The name needs no escapes. */
void json_member(struct str *, const char *name, const char *text);

#endif
