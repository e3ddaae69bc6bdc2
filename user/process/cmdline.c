#include "process/cmdline.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"
#include "process/opener.h"

#define CHARACTER 4 /* bytes of one, at most */

/* @n without the beginning of a character whose end was cut off. */
static size_t whole(const char *s, size_t n)
{
	for (size_t k = 1; k < CHARACTER && k <= n; k++) {
		const unsigned char lead = (unsigned char)s[n - k];

		if (lead >= 0xc0)
			return str_char(s + n - k, k) ? n : n - k;
		if (lead < 0x80)
			break;
	}
	return n;
}

char *cmdline_text(const char *arguments, size_t n)
{
	_free_ char *line = NULL;

	n = whole(arguments, n);
	/* A title may be padded. */
	while (n && (arguments[n - 1] == '\0' || arguments[n - 1] == ' '))
		n--;
	line = mem_zalloc(n + 1, 1);
	for (size_t i = 0; i < n; i++)
		line[i] = arguments[i] ? arguments[i] : ' ';
	return str_clean(line, n);
}

char *cmdline_read(struct opener *opener, uint32_t pid, size_t most, bool *cut)
{
	const struct opener_request r = {.what = OPENER_READ,
					 .pid = pid,
					 .path = "cmdline",
					 .root_fd = OPENER_OWN_ROOT,
					 .bytes_most = most + 1};
	struct opener_answer a;
	char *text;
	size_t n;

	/* Its page may never arrive: the opener has a time limit. */
	(void)opener_ask(opener, &r, &a);
	*cut = a.text_bytes > most;
	n = *cut ? most : a.text_bytes;
	text = a.text && n ? cmdline_text(a.text, n) : NULL;
	opener_answer_release(opener, &a);
	return text;
}
