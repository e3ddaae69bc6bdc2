/*
 * term: text for a terminal or a pipe: styles, bars, wrapped and padded words. For format/txt*.
 */
#ifndef PAINT_TERM_H
#define PAINT_TERM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "query/frame_class.h"

struct term {
	FILE *out;
	bool colour;
	bool ascii;    /* no sign beyond ASCII */
	size_t width;  /* columns, 0: no limit */
	size_t indent; /* of wrapped lines, columns */
	size_t column; /* where the next word of a wrapped line goes */
};

enum term_style {
	TERM_PLAIN,
	TERM_TITLE,
	TERM_DIM,
	TERM_STRONG,
	TERM_WARN,
	TERM_BAR,
	TERM_KERNEL,
	TERM_JIT,
	TERM_INLINED,
	TERM_UNNAMED,
	TERM_SCRIPT,
};

enum term_style term_frame_style(enum frame_class);

/* @s in at most @columns, and in any case within what a pipe has room for, cut in the middle. Freed
 * by the caller. */
char *term_cut(const struct term *, const char *s, size_t columns);

/* @text in @style, nothing added. */
void term_put(struct term *, enum term_style, const char *text);
/* The same with spaces before or behind it up to @columns. */
void term_right(struct term *, enum term_style, size_t columns, const char *text);
void term_left(struct term *, enum term_style, size_t columns, const char *text);
void term_spaces(struct term *, size_t n);

#define TERM_BAR_COLUMNS 8
/* @percent of TERM_BAR_COLUMNS, in eighths of a column; padded behind. */
void term_bar(struct term *, double percent);

/* A word of a line that wraps at the width (at 100 where there is none); longer words are cut in
 * the middle where there is a width. term_wrap_begin() says where the lines stand. @suffix is never
 * parted from the word, dim behind it; "": none. */
void term_wrap_begin(struct term *, size_t indent);
void term_wrap_with(struct term *, enum term_style, const char *word, const char *suffix);
/* All words of a text, and the end of the line; see paint/words.h for where it breaks. */
void term_wrap_text(struct term *, enum term_style, const char *text);

#endif
