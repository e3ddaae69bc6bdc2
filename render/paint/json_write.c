#include "paint/json_write.h"

#include <string.h>

#include "base/mem.h"
#include "base/str.h"

static void clean_write(FILE *out, const char *s)
{
	while (*s) {
		const size_t n = strcspn(s, "\"\\<");

		fwrite_unlocked(s, 1, n, out);
		s += n;
		if (!*s)
			break;
		if (*s == '<')
			fputs_unlocked(s[1] == '/' ? "<\\" : "<", out);
		else
			fprintf(out, "\\%c", *s);
		s++;
	}
}

void json_text(FILE *out, const char *before, const char *s)
{
	const size_t n = strlen(s);
	_free_ char *clean = str_is_clean(s, n) ? NULL : str_clean(s, n);

	fputs_unlocked(before, out);
	putc_unlocked('"', out);
	clean_write(out, clean ? clean : s);
	putc_unlocked('"', out);
}

#define DIGITS_MOST 24

/* The digits of @n, at least @least, to the end of @buf; where they begin. */
static char *digits(char buf[DIGITS_MOST], uint64_t n, int least)
{
	char *s = buf + DIGITS_MOST;

	while (n || least > 0) {
		*--s = (char)('0' + n % 10);
		n /= 10;
		least--;
	}
	return s;
}

static uint64_t magnitude(FILE *out, const char *before, int64_t value)
{
	fputs_unlocked(before, out);
	if (value >= 0)
		return (uint64_t)value;
	putc_unlocked('-', out);
	return -(uint64_t)value;
}

void json_int(FILE *out, const char *before, int64_t value)
{
	char buf[DIGITS_MOST], *s = digits(buf, magnitude(out, before, value), 1);

	fwrite_unlocked(s, 1, (size_t)(buf + DIGITS_MOST - s), out);
}

void json_thousandths(FILE *out, const char *before, int64_t value)
{
	char buf[DIGITS_MOST], *s = digits(buf, magnitude(out, before, value), 4);

	fwrite_unlocked(s, 1, (size_t)(buf + DIGITS_MOST - 3 - s), out);
	putc_unlocked('.', out);
	fwrite_unlocked(buf + DIGITS_MOST - 3, 1, 3, out);
}
