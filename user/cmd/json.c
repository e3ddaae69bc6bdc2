#include "cmd/json.h"

void json_text(struct str *s, const char *text)
{
	str_addc(s, '"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			str_addf(s, "\\%c", *text);
		else if ((unsigned char)*text < 0x20)
			str_addf(s, "\\u%04x", *text);
		else
			str_addc(s, *text);
	}
	str_addc(s, '"');
}

void json_member(struct str *s, const char *name, const char *text)
{
	str_addf(s, ", \"%s\": ", name);
	if (text)
		json_text(s, text);
	else
		str_add(s, "null");
}
