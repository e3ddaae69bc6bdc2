#include "paint/csv.h"

#include <string.h>

static int needs_quotes(const char *s)
{
	size_t n = strlen(s);

	return s[strcspn(s, ",\"\r\n")] || (n && (s[0] == ' ' || s[n - 1] == ' '));
}

void csv_field(FILE *out, const char *before, const char *s)
{
	fputs(before, out);
	if (!needs_quotes(s)) {
		fputs(s, out);
		return;
	}
	putc('"', out);
	for (; *s; s++) {
		if (*s == '"')
			putc('"', out);
		putc(*s, out);
	}
	putc('"', out);
}
