#include "format/html_append.h"

#include <string.h>

/* Around a capture: as a part of the page, and as a template of one. */
static const char *const begins[] = {"<!--capture-->\n<template", "<!--capture-->\n<div"};
static const char *const ends[] = {"</template>\n<!--/capture-->\n", "</div>\n<!--/capture-->\n"};

#define DATA_BEGIN "<script type=\"application/octet-stream\" class=\"data\">"
#define DATA_END   "</script>\n"

/* Takes @text from the front of @rest, where it stands there. */
static bool take(struct span *rest, const char *text)
{
	size_t n = strlen(text);

	if (rest->n < n || memcmp(rest->s, text, n))
		return false;
	rest->s += n;
	rest->n -= n;
	return true;
}

/* Takes what stands before @end and @end from the front of @rest. */
static bool take_until(struct span *rest, const char *end, struct span *out)
{
	const char *at = memmem(rest->s, rest->n, end, strlen(end));

	if (!at)
		return false;
	*out = (struct span){rest->s, (size_t)(at - rest->s)};
	rest->n -= out->n;
	rest->s = at;
	return take(rest, end);
}

static bool take_capture(struct span *rest, struct span *inside)
{
	for (int live = 0; live < 2; live++)
		if (take(rest, begins[live]))
			return take_until(rest, ends[live], inside);
	return false;
}

bool html_append_read(struct span captures, struct span data, struct html_captures *out)
{
	*out = (struct html_captures){0};
	while (captures.n) {
		struct html_capture c;

		if (out->all.n == HTML_CAPTURES_MOST || !take_capture(&captures, &c.inside) ||
		    !take(&data, DATA_BEGIN) || !take_until(&data, DATA_END, &c.data))
			return false;
		vec_push(&out->all, c);
	}
	return out->all.n && !data.n;
}

void html_append_release(struct html_captures *c)
{
	vec_release(&c->all);
}

void html_append_begin(FILE *out, bool live)
{
	fputs(begins[live], out);
}

void html_append_end(FILE *out, bool live)
{
	fputs(ends[live], out);
}

void html_data_begin(FILE *out)
{
	fputs(DATA_BEGIN, out);
}

void html_data_end(FILE *out)
{
	fputs(DATA_END, out);
}
