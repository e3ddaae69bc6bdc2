/*
 * diff_words: what is said of a path of a difference, in words: the same in tooltips of pictures
 * and in the table of the terminal. web/diff.js says the same on the page.
 */
#ifndef PAINT_DIFF_WORDS_H
#define PAINT_DIFF_WORDS_H

#include "compare/diff.h"

/* "Before" or "After", with what that side is called: "Before: 1.2". Freed by the caller. */
char *diff_side(const struct diff *, int side);
/* "+12.3 %", "new", "gone"; "" where nothing can be said. Freed by the caller. */
char *diff_sign(const struct diff *, size_t node);
/* "+9.1 % … +15.7 %"; "–" where it is unknown. Freed by the caller. */
char *diff_interval(const struct diff *, size_t node);
/* "more, 99 % sure"; "suspect: more, 99 % sure"; "not distinguishable". Freed by the caller. */
char *diff_verdict(const struct diff *, size_t node);
/* What would decide, "about 1,200 samples …"; NULL where that is told already, or unknown. Freed by
 * the caller. */
char *diff_needed(const struct diff *, size_t node);
/* All of it, with before and after, line by line. Freed by the caller. */
char *diff_lines(const struct diff *, size_t node);

/* What the boxes of the tree are to say: their sign and their name. Sets label. */
void diff_label(struct diff *);

#endif
