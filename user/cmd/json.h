/*
 * json: texts and members of JSON objects (RFC 8259), for the commands that print some.
 */
#ifndef CMD_JSON_H
#define CMD_JSON_H

#include "base/str.h"

/* A string with its quotes. Bytes past ASCII pass as they are: our texts are UTF-8. */
void json_text(struct str *, const char *text);
/* , "name": "text"; null for NULL. The name needs no escapes. */
void json_member(struct str *, const char *name, const char *text);

#endif
