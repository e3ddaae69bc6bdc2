#include "paint/csv.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static int needs_quotes(const char *s)
{
	size_t n = strlen(s);

	return s[strcspn(s, ",\"\r\n")] || (n && (s[0] == ' ' || s[n - 1] == ' '));
}

/* U+FF1D, U+FF0B, U+FF0D, U+FF20: some spreadsheets take them for the narrow ones. */
static bool is_formula(const char *s)
{
	static const char *const wide[] = {"\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d",
					   "\xef\xbc\xa0"};
	char *end;

	(void)!strtod(s, &end);
	if (!*end)
		return false;
	s += strspn(s, " ");
	for (size_t i = 0; i < sizeof(wide) / sizeof(*wide); i++)
		if (!strncmp(s, wide[i], strlen(wide[i])))
			return true;
	return *s && strchr("=+-@\t\r\n", *s);
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

void csv_text(FILE *out, const char *before, const char *s)
{
	_free_ char *safe = is_formula(s) ? mem_printf("'%s", s) : NULL;

	csv_field(out, before, safe ? safe : s);
}
