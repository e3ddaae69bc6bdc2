/*
 * style: how a report looks: --width, --colour, --paper and their like, and what the terminal says
 * where they are not given.
 */
#ifndef CMD_STYLE_H
#define CMD_STYLE_H

#include <stdbool.h>

#include "format/format.h"

enum style_colours { COLOUR_AUTO, COLOUR_ALWAYS, COLOUR_NEVER };

/* A zeroed one asks the terminal. */
struct style {
	unsigned width, height, rows; /* 0: the terminal's, the format's, the table's */
	enum style_colours colour;
	enum paper paper;
	bool portrait, dark;
	double least; /* see struct format_options */
};

/* getopt_long rows for the options of paper, and of pictures too, to be put in a command's own
 * table; what handles one of them: 1 handled, 0 not one of ours, negative errno with a text for a
 * bad value; and the lines of --help for them. */
#define STYLE_OPT_BASE 0x600
#define STYLE_PAPER_LONGOPTS                                                                     \
	{"rows", 1, 0, STYLE_OPT_BASE + 1}, {"paper", 1, 0, STYLE_OPT_BASE + 2},                 \
		{"portrait", 0, 0, STYLE_OPT_BASE + 3}, {"landscape", 0, 0, STYLE_OPT_BASE + 4}, \
		{"theme", 1, 0, STYLE_OPT_BASE + 5},                                             \
	{                                                                                        \
		"percent-limit", 1, 0, STYLE_OPT_BASE + 6                                        \
	}
#define STYLE_LONGOPTS {"height", 1, 0, STYLE_OPT_BASE + 0}, STYLE_PAPER_LONGOPTS
int style_option(struct style *, int opt, const char *arg);
extern const char style_paper_help[], style_help[];

/* The values of the options: 0, or -EINVAL with a text. */
int style_width(struct style *, const char *text);
int style_colour(struct style *, const char *text);

/* What a format needs to know. @to_file: it does not go to the standard output; a file is read
 * elsewhere, so it is in UTF-8 always. */
struct format_options style_options(const struct style *, const struct format *, bool to_file);

#endif
