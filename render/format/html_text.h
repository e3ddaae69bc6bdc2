/*
 * html_text: foreign text in HTML, where whatever it holds is text. For format/html* only.
 */
#ifndef FORMAT_HTML_TEXT_H
#define FORMAT_HTML_TEXT_H

#include <stdio.h>

/* @text, which may be NULL, cleaned (str_clean) and escaped for elements and for attributes in
 * quotes. */
void html_text(FILE *out, const char *text);
/* <tag attributes>text</tag> */
void html_element(FILE *out, const char *tag, const char *attributes, const char *text);
/* The same with a name for its text, cut in the middle where it is long, and whole in its title. */
void html_named(FILE *out, const char *tag, const char *attributes, const char *name);

#endif
