/*
 * html_append: the captures that an older page of the HTML report holds: see html_page.h. The page
 * may be anybody's: what is found are spans of it, which are only ever copied. For format/html_page
 * only.
 */
#ifndef FORMAT_HTML_APPEND_H
#define FORMAT_HTML_APPEND_H

#include <stdio.h>

#include "base/input.h"
#include "base/vec.h"

/* As many captures as one page may hold: a chooser of more is no help. */
#define HTML_CAPTURES_MOST 100

struct html_capture {
	struct span inside; /* from its element's attributes up to before its end tag */
	struct span data;   /* in base 85 */
};

struct html_captures {
	VEC(struct html_capture) all;
};

/* What stands in the slots {{captures}} and {{data}} of a page, taken apart. False: they are not as
 * html_append_write() and html_data_write() write them, or too many. To be released in each case.
 */
bool html_append_read(struct span captures, struct span data, struct html_captures *out);
void html_append_release(struct html_captures *);

/* One capture: its HTML between marks; @live: in the page, else a template. */
void html_append_begin(FILE *out, bool live);
void html_append_end(FILE *out, bool live);
/* What stands around its data. */
void html_data_begin(FILE *out);
void html_data_end(FILE *out);

#endif
