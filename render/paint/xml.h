/*
 * xml: text and elements of XML and HTML.
 */
#ifndef PAINT_XML_H
#define PAINT_XML_H

#include <stdio.h>

/* @text, which may be NULL, cleaned (str_clean) and escaped for elements and for attributes in
 * quotes of either kind. */
void xml_text(FILE *out, const char *text);
/* <tag attributes>text</tag> */
void xml_element(FILE *out, const char *tag, const char *attributes, const char *text);
/* The same with a name for its text, cut in the middle where it is long, and whole in its title. */
void xml_named(FILE *out, const char *tag, const char *attributes, const char *name);

#endif
