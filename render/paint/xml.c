#include "paint/xml.h"

#include <string.h>

#include "base/mem.h"
#include "base/str.h"

void xml_text(FILE *out, const char *s)
{
	_free_ char *clean = str_clean(s, strlen(s));

	for (const char *c = clean; *c; c++) {
		size_t plain = strcspn(c, "&<>\"");

		fwrite(c, 1, plain, out);
		c += plain;
		if (!*c)
			break;
		fputs(*c == '&'	  ? "&amp;"
		      : *c == '<' ? "&lt;"
		      : *c == '>' ? "&gt;"
				  : "&quot;",
		      out);
	}
}
