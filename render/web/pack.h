/*
 * pack: the data of the HTML report as the viewer reads it (page.js, class Reader): unsigned
 * integers as LEB128, signed ones zigzagged before that, floats as 4 bytes little-endian, and
 * strings by number. Written as strings, then data, deflated (zlib), in base 85, which
 * makes a page 6 % smaller than base 64.
 */
#ifndef WEB_PACK_H
#define WEB_PACK_H

#include <stdint.h>
#include <stdio.h>

#include "base/intern.h"
#include "base/vec.h"

/* A zeroed pack is empty and valid. */
struct pack {
	VEC(uint8_t) bytes;
	struct intern strings;
};

void pack_uint(struct pack *, uint64_t);
void pack_int(struct pack *, int64_t);
void pack_float(struct pack *, double);
/* Adds what stands in @from, which has no strings, and releases it. */
void pack_move(struct pack *, struct pack *from);
/* The number of @text, cleaned (str_clean): hostile names arrive as one line of UTF-8. */
uint32_t pack_string(struct pack *, const char *text);
/* Writes all to @out, in base 85. 0, or a negative errno with a text; ferror() is the caller's. */
int pack_write(const struct pack *, FILE *out);
void pack_release(struct pack *);

/* @n bytes in base 85: four bytes, the first most significant, in five of the characters 36 to 122
 * without < and >, so that no text ends or starts an element; of the last group one character more
 * than there are bytes. As Ascii85 of Adobe, with other characters and no "z". */
void pack_base85(const void *data, size_t n, FILE *out);
/* @n bytes as base64. */
void pack_base64(const void *data, size_t n, FILE *out);

/* The page's own files (embed.S). */
extern const char web_page_html[], web_page_html_end[];
extern const char web_page_css[], web_page_css_end[];
extern const char web_page_js[], web_page_js_end[];
extern const char web_picture_js[], web_picture_js_end[]; /* of SVG, not of the page */

#endif
