/*
 * html_rows: the rows of html_samples: metrics, threads, steps of time and the sums of samples.
 */
#ifndef FORMAT_HTML_ROWS_H
#define FORMAT_HTML_ROWS_H

#include "format/html_union.h"

/*
 * Steps of time are as short as the page has room for: 1, 2 or 5 times a power of ten ns, at most
 * HTML_STEPS_MOST of them, and at most HTML_ROWS_MOST rows. Rows take the room that the tree leaves
 * of HTML_DATA_BYTES, deflated, so that the page of 100,000 stacks stays below 2.5 MB; of profiles
 * with so many stacks that this is next to nothing, HTML_STACK_BITS for each stack and thread.
 * Samples in one step cannot be told apart by time. A profile whose samples have no times is one
 * step.
 */
#define HTML_STEPS_MOST 16384
#define HTML_ROWS_MOST	2000000
#define HTML_DATA_BYTES 1700000
#define HTML_STACK_BITS 20

/* @tree_bytes: about how many the tree takes when it is deflated. */
void html_rows_pack(const struct html_union *, bool has_reasons, size_t tree_bytes,
		    struct pack *out);

#endif
