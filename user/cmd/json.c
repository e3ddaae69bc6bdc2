#include "cmd/json.h"

#include <stdint.h>
#include <string.h>

/* The code point of the well-formed character at @s of @len bytes. */
static uint32_t code_point(const char *s, size_t len)
{
	uint32_t code = (uint8_t)*s & (len == 1 ? 0x7f : 0x7f >> len);

	for (size_t i = 1; i < len; i++)
		code = code << 6 | ((uint8_t)s[i] & 0x3f);
	return code;
}

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
	size_t n = strlen(text), len;

	str_addc(s, '"');
	for (; n; text += len, n -= len) {
		len = str_char(text, n);
		if (!len)
			add_escape(s, 0xfffd);
		else if (len > 1 || (unsigned char)*text < 0x20)
			add_escape(s, code_point(text, len));
		else
			str_addf(s, *text == '"' || *text == '\\' ? "\\%c" : "%c", *text);
		len = len ? len : 1;
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
