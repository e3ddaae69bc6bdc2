#include "base/str.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static void reserve(struct str *t, size_t more)
{
	size_t want = t->n + more + 1;

	if (want <= t->cap)
		return;
	t->cap = want < 2 * t->cap ? 2 * t->cap : want < 32 ? 32 : want;
	t->s = mem_realloc(t->s, t->cap, 1);
}

void str_addn(struct str *t, const char *s, size_t n)
{
	if (!n)
		return;
	reserve(t, n);
	memcpy(t->s + t->n, s, n);
	t->n += n;
	t->s[t->n] = 0;
}

void str_add(struct str *t, const char *s)
{
	str_addn(t, s, strlen(s));
}

void str_addc(struct str *t, char c)
{
	str_addn(t, &c, 1);
}

void str_addf(struct str *t, const char *fmt, ...)
{
	va_list args, again;
	int n;

	va_start(args, fmt);
	va_copy(again, args);
	n = vsnprintf(NULL, 0, fmt, args);
	if (n > 0) {
		reserve(t, n);
		vsnprintf(t->s + t->n, (size_t)n + 1, fmt, again);
		t->n += n;
	}
	va_end(again);
	va_end(args);
}

const char *str_text(const struct str *t)
{
	return t->s ? t->s : "";
}

char *str_steal(struct str *t)
{
	char *s = t->s ? t->s : mem_strdup("");

	*t = (struct str){0};
	return s;
}

void str_release(struct str *t)
{
	free(t->s);
	*t = (struct str){0};
}

/* RFC 3629, section 4: the first byte gives the length and the range of the second one; narrowed
 * ranges exclude overlong forms, surrogates and what is past U+10FFFF. */
static size_t lead(uint8_t c, uint8_t *min, uint8_t *max)
{
	*min = c == 0xe0 ? 0xa0 : c == 0xf0 ? 0x90 : 0x80;
	*max = c == 0xed ? 0x9f : c == 0xf4 ? 0x8f : 0xbf;
	if (c < 0x80)
		return 1;
	if (c < 0xc2 || c > 0xf4)
		return 0;
	return c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}

size_t str_char(const char *s, size_t n)
{
	const uint8_t *b = (const uint8_t *)s;
	uint8_t min, max;
	size_t len;

	if (!n)
		return 0;
	len = lead(*b, &min, &max);
	if (!len || len > n)
		return 0;
	for (size_t i = 1; i < len; i++) {
		if (b[i] < min || b[i] > max)
			return 0;
		min = 0x80;
		max = 0xbf;
	}
	return len;
}

size_t str_next(const char **s, size_t *n)
{
	const size_t len = str_char(*s, *n), past = len ? len : 1;

	*s += past;
	*n -= past;
	return len;
}

uint32_t str_code(const char *s, size_t len)
{
	static const uint8_t first[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
	uint32_t c = (uint8_t)s[0] & first[len < 5 ? len : 4];

	for (size_t i = 1; i < len; i++)
		c = c << 6 | ((uint8_t)s[i] & 0x3f);
	return c;
}

size_t str_put_code(char *to, uint32_t code)
{
	if (code < 0x80) {
		to[0] = (char)code;
		return 1;
	}
	if (code < 0x800) {
		to[0] = (char)(0xc0 | code >> 6);
		to[1] = (char)(0x80 | (code & 0x3f));
		return 2;
	}
	if (code < 0x10000) {
		to[0] = (char)(0xe0 | code >> 12);
		to[1] = (char)(0x80 | (code >> 6 & 0x3f));
		to[2] = (char)(0x80 | (code & 0x3f));
		return 3;
	}
	to[0] = (char)(0xf0 | (code >> 18 & 7));
	to[1] = (char)(0x80 | (code >> 12 & 0x3f));
	to[2] = (char)(0x80 | (code >> 6 & 0x3f));
	to[3] = (char)(0x80 | (code & 0x3f));
	return 4;
}

/* C1; ends of lines; and Unicode's Default_Ignorable_Code_Point and interlinear annotation: text
 * direction, zero width, tags. They are invisible, and make one name look like another. */
static const struct {
	uint32_t from, to;
} unseen[] = {
	{0x80, 0x9f},	    {0xad, 0xad},	{0x34f, 0x34f},	  {0x61c, 0x61c},
	{0x115f, 0x1160},   {0x17b4, 0x17b5},	{0x180b, 0x180f}, {0x200b, 0x200f},
	{0x2028, 0x202e},   {0x2060, 0x206f},	{0x3164, 0x3164}, {0xfe00, 0xfe0f},
	{0xfeff, 0xfeff},   {0xffa0, 0xffa0},	{0xfff0, 0xfffb}, {0x1bca0, 0x1bca3},
	{0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
};

bool str_is_control(const char *s, size_t len)
{
	uint32_t c;

	if (len == 1)
		return (uint8_t)*s < 0x20 || *s == 0x7f;
	c = len ? str_code(s, len) : 0;
	for (size_t i = 0; i < sizeof(unseen) / sizeof(*unseen) && c >= unseen[i].from; i++)
		if (c <= unseen[i].to)
			return true;
	return false;
}

bool str_is_utf8(const char *s, size_t n)
{
	for (const char *c = s; n; c = s)
		if (!str_next(&s, &n) || !*c)
			return false;
	return true;
}

bool str_is_clean(const char *s, size_t n)
{
	while (n) {
		/* Most names have no other characters. */
		const bool plain = *s >= ' ' && *s <= '~';
		const size_t len = plain ? 1 : str_char(s, n);

		if (!len || (!plain && str_is_control(s, len)))
			return false;
		s += len;
		n -= len;
	}
	return true;
}

char *str_clean(const char *s, size_t n)
{
	struct str out = {0};

	if (str_is_clean(s, n))
		return mem_strndup(s, n);
	for (const char *c = s; n; c = s) {
		const size_t len = str_next(&s, &n);

		if (!len)
			str_add(&out, "\xef\xbf\xbd");
		else if (str_is_control(c, len))
			str_addc(&out, '?');
		else
			str_addn(&out, c, len);
	}
	return str_steal(&out);
}

/* As $'…' of bash, zsh, ksh and POSIX.1-2024. */
static void quote_escaped(struct str *out, const char *s)
{
	str_add(out, "$'");
	for (size_t n = strlen(s), len; n; s += len, n -= len) {
		len = str_char(s, n);
		if (len && !str_is_control(s, len)) {
			str_add(out, *s == '\'' || *s == '\\' ? "\\" : "");
			str_addn(out, s, len);
			continue;
		}
		/* Always three octal digits: a digit may follow. */
		len = 1;
		str_addf(out, "\\%03o", (unsigned char)*s);
	}
	str_addc(out, '\'');
}

char *str_quote(const char *s)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789_@%+=:,./-";
	struct str out = {0};

	if (*s == '-')
		str_add(&out, "./");
	if (*s && strspn(s, plain) == strlen(s)) {
		str_add(&out, s);
	} else if (!str_is_clean(s, strlen(s))) {
		quote_escaped(&out, s);
	} else {
		str_addc(&out, '\'');
		for (; *s; s++)
			*s == '\'' ? str_add(&out, "'\\''") : str_addc(&out, *s);
		str_addc(&out, '\'');
	}
	return str_steal(&out);
}

/* The columns of the next character, or bad byte; moves past it. */
static unsigned next_columns(const char **s, size_t *n)
{
	const char *c = *s;
	const size_t len = str_next(s, n);

	return len ? str_columns(str_code(c, len)) : 1;
}

size_t str_width(const char *s)
{
	size_t n = strlen(s), width = 0;

	while (n)
		width += next_columns(&s, &n);
	return width;
}

const char *str_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] && !str_starts(path, "//") ? slash + 1 : path;
}

char *str_program(const char *command)
{
	_free_ char *word = mem_strndup(command, strcspn(command, " "));

	return mem_strdup(str_base(word));
}

bool str_starts(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

bool str_ends(const char *s, const char *suffix)
{
	size_t n = strlen(s), k = strlen(suffix);

	return n >= k && !memcmp(s + n - k, suffix, k);
}

const char *str_fit(const char *s, size_t columns)
{
	size_t n = strlen(s), width = 0;

	for (const char *c = s; n; c = s) {
		width += next_columns(&s, &n);
		if (width > columns)
			return c;
	}
	return s;
}

/* What is left of @s without its first @gone columns, or one more: half of a wide character is
 * none. */
static const char *cut_from(const char *s, size_t gone)
{
	const char *at = str_fit(s, gone);
	size_t lost = str_width(s) - str_width(at);

	while (*at && lost < gone) {
		at = str_fit(s, ++gone);
		lost = str_width(s) - str_width(at);
	}
	return at;
}

char *str_cut_middle(const char *s, size_t columns, const char *dots)
{
	size_t width = str_width(s), between = str_width(dots), head = columns / 2;
	const char *end, *tail;

	if (width <= columns)
		return mem_strdup(s);
	if (columns < between)
		return mem_strdup("");
	head = head + between > columns ? columns - between : head;
	end = str_fit(s, head);
	tail = cut_from(end, str_width(end) - (columns - head - between));
	return mem_printf("%.*s%s%s", (int)(end - s), s, dots, tail);
}

char *str_slug(const char *s)
{
	struct str out = {0};

	for (; *s; s++) {
		if (*s == '(') {
			s += strcspn(s, ")");
			if (!*s)
				break;
		} else if (isalnum((unsigned char)*s) || *s == '.') {
			str_addc(&out, (char)tolower((unsigned char)*s));
		} else if (out.n && out.s[out.n - 1] != '-') {
			str_addc(&out, '-');
		}
	}
	while (out.n && out.s[out.n - 1] == '-')
		out.s[--out.n] = '\0';
	return out.n ? str_steal(&out) : mem_strdup("unknown");
}
