/*
 * style: how a report looks: --width, --colour, --paper and their like, and what the terminal says
 * where they are not given.
 */
#ifndef CMD_STYLE_H
#define CMD_STYLE_H

#include <stdbool.h>

#include "base/options.h"
#include "format/format.h"

enum style_colours { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

/* A zeroed one asks the terminal. */
struct style {
	unsigned width, height, rows; /* 0: the terminal's, the format's, the table's */
	enum style_colours colour;
	enum paper paper;
	bool portrait;
	unsigned dark; /* 0 or 1 */
	double least;  /* see struct format_options */
};

/* The options of paper; all of them; and the lines of --help for both. */
extern const struct option_row style_paper_rows[], style_rows[];
extern const char style_paper_help[], style_help[];

/* What a format needs to know. @to_file: it does not go to the standard output; a file is read
 * elsewhere, so it is in UTF-8 always. */
struct format_options style_options(const struct style *, const struct format *, bool to_file);

#endif
