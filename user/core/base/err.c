#include "base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

#define ERR_BYTES 1024

static _Thread_local char err_line[ERR_BYTES];
static _Thread_local int err_number;

/* Copies @s as one printable line: bytes that a terminal would obey become \xHH. */
static void put_visible(char *to, size_t size, const char *s)
{
	size_t n = strlen(s);

	while (n && size > 4) {
		size_t len = str_char(s, n);

		if (len && !str_is_control(s, len)) {
			if (len >= size)
				break;
			memcpy(to, s, len);
			to += len;
			size -= len;
		} else {
			len = 1;
			to += sprintf(to, "\\x%02x", (unsigned char)*s);
			size -= 4;
		}
		s += len;
		n -= len;
	}
	*to = 0;
}

int err(int code, const char *fmt, ...)
{
	int saved = errno;
	char raw[ERR_BYTES]; /* err_text() itself may be an argument */
	va_list args;

	va_start(args, fmt);
	vsnprintf(raw, sizeof(raw), fmt, args);
	va_end(args);
	put_visible(err_line, sizeof(err_line), raw);
	err_number = code;
	errno = saved;
	return code;
}

const char *err_text(void)
{
	return err_line;
}

int err_code(void)
{
	return err_number;
}

bool err_is_usage(int code)
{
	return code == -EINVAL || code == -ERANGE || code == -E2BIG;
}
