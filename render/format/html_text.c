#include "format/html_text.h"

#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "paint/cut.h"

/* Letters of a name that show; its title has all of them. The same number is in page.js. */
#define NAME_MOST 120

void html_text(FILE *out, const char *text)
{
	_free_ char *clean = str_clean(text ? text : "", text ? strlen(text) : 0);

	for (const char *s = clean; *s; s++) {
		switch (*s) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		case '\'':
			fputs("&#39;", out);
			break;
		default:
			putc(*s, out);
		}
	}
}

void html_element(FILE *out, const char *tag, const char *attributes, const char *text)
{
	fprintf(out, "<%s%s>", tag, attributes);
	html_text(out, text);
	fprintf(out, "</%s>\n", tag);
}

void html_named(FILE *out, const char *tag, const char *attributes, const char *name)
{
	_free_ char *cut = cut_middle(name, NAME_MOST);

	fprintf(out, "<%s%s", tag, attributes);
	if (strcmp(cut, name)) {
		fputs(" title=\"", out);
		html_text(out, name);
		fputs("\"", out);
	}
	fputs(">", out);
	html_text(out, cut);
	fprintf(out, "</%s>", tag);
}
