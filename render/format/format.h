/*
 * format: a format writes a document to a file. To add one: a file format/x.c that exports one
 * `const struct format x_format`, and a row in format/formats.def.
 */
#ifndef FORMAT_FORMAT_H
#define FORMAT_FORMAT_H

#include <stdio.h>

#include "base/input.h"
#include "doc.h"

/* Where html puts its style, script and data when they are not in the page: see format/html_page.h.
 */
struct format_assets {
	FILE *style, *script, *data; /* style.css, script.js, data.js beside the page */
};

enum paper { PAPER_A4, PAPER_LETTER };

/* A zeroed one is what is written where nothing is asked for. */
struct format_options {
	bool colour;	 /* txt: use terminal colours */
	bool ascii;	 /* txt: no sign beyond ASCII; the document is already so (doc_to_ascii) */
	unsigned width;	 /* txt: columns of the terminal, 0: no limit; svg, png: pixels, 0: 1200 */
	unsigned height; /* svg, png: pixels, 0: as high as it needs to be */
	unsigned rows;	 /* txt, pdf, svg, png: of each table; 0: as the table says */
	double least;	 /* of call trees: percent of the whole below which a branch is left out */
	enum paper paper;
	bool portrait;			    /* pdf */
	bool dark;			    /* pdf, svg, png */
	const struct format_assets *assets; /* html: NULL: all in the page */
	struct span append; /* html: text of a page to add the report to; s NULL: none */
};

/* What format_options.least is where nothing is asked for. */
#define FORMAT_LEAST 1.0
static inline double format_least(const struct format_options *o)
{
	return o->least > 0 ? o->least : FORMAT_LEAST;
}

struct format {
	const char *extension; /* "html": chosen by the output's name */
	const char *about;     /* one line for --help */
	/* Which views make this format's report when --view names none, and whether the first of
	 * them alone. */
	enum doc_medium medium;
	bool one_view;
	bool all_rows; /* of tables, unless --top says how many; without it see rows above */
	/* Writes all of @doc to @out. 0, or a negative errno with a text. The caller checks
	 * ferror() and closes. */
	int (*write)(const struct doc *, const struct format_options *, FILE *out);
};

/* NULL-terminated. */
extern const struct format *const formats[];
const struct format *format_find(const char *extension);

#endif
