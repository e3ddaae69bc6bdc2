/*
 * diff_words: words and colours of changes, the same in every view and format;
 * web/diff.js says the same on the page.
 */
#ifndef PAINT_DIFF_WORDS_H
#define PAINT_DIFF_WORDS_H

#include "diff/diff.h"
#include "paint/rgb.h"

/* "+12.3 %" of .123; from 1,000 % on times: "×25"; "–" where it is not known. Freed by the caller.
 */
char *change_text(double ratio);
/* "1.23 s", "1,234"; of the unit "share" "12.3 %". Freed by the caller. */
char *change_value(const char *unit, double value);

/* Of a path of a difference; all of these are freed by the caller. */

/* "Before" or "After", with what that side is called: "Before: 1.2". */
char *diff_side(const struct diff *, int side);
/* "+12.3 %", "self +12.3 %", "new", "gone"; "" where nothing can be said. */
char *diff_sign(const struct diff *, size_t node);
/* "+9.1 % … +15.7 %"; "–" where it is unknown. */
char *diff_interval(const struct diff *, size_t node);
/* "more, 99 % sure"; of one run a side "suspect: more, 99 % sure" and "apparently less, 99 % sure";
 * "not distinguishable". */
char *diff_verdict(const struct diff *, size_t node);
/* What would decide, "about 1,200 samples …"; NULL where it is decided, or where nothing is known
 * of it. */
char *diff_needed(const struct diff *, size_t node);
/* All of it, with before and after, line by line. */
char *diff_lines(const struct diff *, size_t node);

/* What the boxes of the tree are to say: their sign and their name. Sets label. */
void diff_label(struct diff *);

/* Colours, in the order of legends. The hue says what happened, its strength (three of less and of
 * more, weakest first) how sure that is, grey that nothing can be said. Everybody can tell orange
 * from blue; tests/unit/report/test_difference.c sees them as colour-blind people do. No colour
 * stands alone: boxes have a word or a number with its sign, too. */
enum diff_look {
	LOOK_GONE,
	LOOK_LESS,
	LOOK_MORE = LOOK_LESS + DIFF_STRENGTHS,
	LOOK_NEW = LOOK_MORE + DIFF_STRENGTHS,
	LOOK_SAME,
	DIFF_LOOKS
};

enum diff_look diff_look_of(const struct diff *, size_t node);
struct rgb diff_look_colour(enum diff_look);
/* "less: 95 %"; static. */
const char *diff_look_label(enum diff_look);

#endif
