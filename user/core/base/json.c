#include "base/json.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

/* --- in ASCII --------------------------------------------------------------------------------- */

static void add_escape(struct str *s, uint32_t code)
{
	if (code < 0x10000) {
		str_addf(s, "\\u%04x", code);
		return;
	}
	code -= 0x10000;
	str_addf(s, "\\u%04x\\u%04x", 0xd800 | code >> 10, 0xdc00 | (code & 0x3ff));
}

void json_quoted(struct str *s, const char *text)
{
	size_t n = strlen(text);

	str_addc(s, '"');
	for (const char *c = text; n; c = text) {
		const size_t len = str_next(&text, &n);

		if (!len)
			add_escape(s, 0xfffd);
		else if (len > 1 || (unsigned char)*c < 0x20)
			add_escape(s, str_code(c, len));
		else
			str_addf(s, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
	}
	str_addc(s, '"');
}

void json_member(struct str *s, const char *name, const char *text)
{
	str_addf(s, ", \"%s\": ", name);
	if (text)
		json_quoted(s, text);
	else
		str_add(s, "null");
}

void json_flag(struct str *s, const char *name, bool value)
{
	str_addf(s, ", \"%s\": %s", name, value ? "true" : "false");
}

/* --- to a file -------------------------------------------------------------------------------- */

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

/* Writes the digits of @n, at least @least, to the end of @buf; returns where they begin. */
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

void json_text_or_null(FILE *out, const char *before, const char *s)
{
	if (s)
		json_text(out, before, s);
	else
		fprintf(out, "%snull", before);
}

void json_bool(FILE *out, const char *before, bool value)
{
	fprintf(out, "%s%s", before, value ? "true" : "false");
}

void json_double(FILE *out, const char *before, double value)
{
	fputs_unlocked(before, out);
	if (isfinite(value))
		fprintf(out, "%.15g", value);
	else
		fputs_unlocked("null", out);
}
