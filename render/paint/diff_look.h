/*
 * diff_look: the colours of a difference (compare/diff.h), the same in every format. The hue says
 * what happened, the strength how sure that is, grey that nothing can be said. Orange and blue are
 * told apart by everybody; tests/unit/report/test_diff_look.c sees them as colour-blind people do.
 * No colour stands alone: boxes say what they are by a word or a number with its sign, too.
 */
#ifndef PAINT_DIFF_LOOK_H
#define PAINT_DIFF_LOOK_H

#include "compare/diff.h"
#include "paint/rgb.h"

/* In the order of legends: three strengths of less and of more, weakest first. */
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
