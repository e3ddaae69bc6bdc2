/*
 * html_page: the frame of an HTML report around what one capture shows in it: web/page.html with
 * its style, its script, the capture's HTML and its data. Three shapes:
 *
 *	one file	all of it; the content security policy lets exactly this style and script in
 *	a folder	style, script and data are files beside it, which the policy names ('self')
 *	appended	one file with the captures of an older page as they stand there, and one
 *more
 *
 * Each capture stands between <!--capture--> and <!--/capture-->, its data in a script element of
 * class data, in the same order. All but the last are templates: no part of the page until its
 * script (web/captures.js) puts the chosen one in. No text of a profile can look like these marks,
 * for in a page < is escaped. For format/html only.
 */
#ifndef FORMAT_HTML_PAGE_H
#define FORMAT_HTML_PAGE_H

#include <stdio.h>

#include "base/input.h"
#include "base/vec.h"
#include "format/format.h"
#include "web/pack.h"

struct html_page {
	const char *title, *subtitle;
	struct span body;
	const struct pack *data;
	const struct format_options *options;
};

/* 0, or a negative errno with a text; -EINVAL where the older page was not written by this version
 * of this program as one file; -EEXIST where it shows the same capture already. */
int html_page_write(const struct html_page *, FILE *out);

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
 * html_page_write() writes them, or too many. To be released in each case. For tests. */
bool html_append_read(struct span captures, struct span data, struct html_captures *out);
void html_append_release(struct html_captures *);

#endif
