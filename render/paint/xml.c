#include "paint/xml.h"

#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "paint/words.h"

void xml_text(FILE *out, const char *text)
{
	_free_ char *clean = str_clean(text ? text : "", text ? strlen(text) : 0);

	for (const char *s = clean; *s; s++) {
		const size_t plain = strcspn(s, "&<>\"'");

		fwrite(s, 1, plain, out);
		s += plain;
		if (!*s)
			break;
		fputs(*s == '&'	  ? "&amp;"
		      : *s == '<' ? "&lt;"
		      : *s == '>' ? "&gt;"
		      : *s == '"' ? "&quot;"
				  : "&#39;",
		      out);
	}
}

/* Letters of a name that show; its title has all of them. The same number is in page.js. */
#define NAME_MOST 120

void xml_element(FILE *out, const char *tag, const char *attributes, const char *text)
{
	fprintf(out, "<%s%s>", tag, attributes);
	xml_text(out, text);
	fprintf(out, "</%s>\n", tag);
}

void xml_named(FILE *out, const char *tag, const char *attributes, const char *name)
{
	_free_ char *cut = cut_middle(name, NAME_MOST);

	fprintf(out, "<%s%s", tag, attributes);
	if (strcmp(cut, name)) {
		fputs(" title=\"", out);
		xml_text(out, name);
		fputs("\"", out);
	}
	fputs(">", out);
	xml_text(out, cut);
	fprintf(out, "</%s>", tag);
}
