/*
 * html_diff: the tree of a difference as data of the HTML report. For format/html only.
 */
#ifndef FORMAT_HTML_DIFF_H
#define FORMAT_HTML_DIFF_H

#include "diff/diff.h"
#include "web/pack.h"

/*
 * Adds what web/diff.js reads: the metric, what both sides are called, a number of bits (one run a
 * side, more is better), why nothing is judged ("": all is); frames; the number of boxes in the
 * order of a walk, and as columns their shape, own values and samples of both sides. Colours and
 * words of the looks. Then each way: its name, "" for one that cannot be had, else what it is per,
 * the unit, both scales as text (all digits); the way that is shown first. Last the findings by
 * box: a number that is effect, strength, moved, whether change, half and need + 2 (0 unknown, 1
 * none that is finite) follow, whether effect is of the function's own code, and whether change and
 * half of that follow.
 */
void html_diff_pack(const struct diff *, struct pack *out);

#endif
