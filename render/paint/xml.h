/*
 * xml: text in XML and HTML.
 */
#ifndef PAINT_XML_H
#define PAINT_XML_H

#include <stdio.h>

/* @s, made clean (str_clean) and with & < > " escaped. */
void xml_text(FILE *out, const char *s);

#endif
