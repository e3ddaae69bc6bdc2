/*
 * format: a format writes a document to a file. To add one: a file format/x.c that exports one
 * `const struct format x_format`, and a row in format/formats.def.
 */
#ifndef FORMAT_FORMAT_H
#define FORMAT_FORMAT_H

#include <stdio.h>

#include "doc.h"

struct format_options {
	bool colour;	/* txt: use terminal colours */
	bool ascii;	/* txt: no sign beyond ASCII; the document is already so (doc_to_ascii) */
	unsigned width; /* txt: columns of the terminal, 0: no limit; svg, png: pixels, 0: 1200 */
};

struct format {
	const char *extension; /* "html": chosen by the output's name */
	const char *about;     /* one line for --help */
	/* Which views make this format's report when --view names none, and whether the first of
	 * them alone. */
	enum doc_place place;
	bool one_view;
	/* Writes all of @doc to @out. 0, or a negative errno with a text. The caller checks
	 * ferror() and closes. */
	int (*write)(const struct doc *, const struct format_options *, FILE *out);
};

/* NULL-terminated. */
extern const struct format *const formats[];
const struct format *format_find(const char *extension);

#endif
