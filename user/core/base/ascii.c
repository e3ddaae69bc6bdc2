#include "base/ascii.h"

#include <errno.h>
#include <langinfo.h>
#include <locale.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

static const char *const spellings[][2] = {
	{"…", "..."},	   {"›", ">"}, {"·", "-"},  {"–", "-"},	 {"—", "-"}, {"µ", "u"},
	{"μ", "u"},	   {"×", "x"}, {"→", "->"}, {"±", "+-"}, {"▁", "_"}, {"▂", "."},
	{"▃", "-"},	   {"▄", "~"}, {"▅", "="},  {"▆", "+"},	 {"▇", "*"}, {"█", "#"},
	{"\xc2\xa0", " "}, {"’", "'"}, {"≥", ">="}, {"≤", "<="},
};

static const char *locale_name(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *value = getenv(names[i]);

		if (value && value[0])
			return value;
	}
	return "C";
}

static bool is_utf8(const char *charset)
{
	return !strncasecmp(charset, "UTF-8", 5) || !strncasecmp(charset, "UTF8", 4);
}

bool ascii_wanted(void)
{
	locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	const char *name = locale_name(), *dot = strchr(name, '.');
	bool utf8;

	if (!locale)
		return !is_utf8(dot ? dot + 1 : name);
	utf8 = is_utf8(nl_langinfo_l(CODESET, locale));
	freelocale(locale);
	return !utf8;
}

static const char *spelling_of(const char *s, size_t len)
{
	for (size_t i = 0; i < sizeof(spellings) / sizeof(*spellings); i++)
		if (strlen(spellings[i][0]) == len && !memcmp(spellings[i][0], s, len))
			return spellings[i][1];
	return "?";
}

static void add(struct str *out, const char *s, size_t n)
{
	for (const char *c = s; n; c = s) {
		const size_t len = str_next(&s, &n);

		if (len == 1)
			str_addc(out, *c);
		else
			str_add(out, len ? spelling_of(c, len) : "?");
	}
}

char *ascii_text(const char *s)
{
	struct str out = {0};

	add(&out, s, strlen(s));
	return str_steal(&out);
}

/* A stream, which keeps the bytes of a character that the last write cut in two. */
struct sink {
	int fd;
	struct str kept;
};

/* How many bytes at the end of @s may be the start of a character. */
static size_t unfinished(const char *s, size_t n)
{
	for (size_t k = 1; k <= 3 && k <= n; k++) {
		uint8_t c = (uint8_t)s[n - k];

		if (c >= 0xc0)
			return str_char(s + n - k, k) ? 0 : k;
		if (c < 0x80)
			return 0;
	}
	return 0;
}

/* For fopencookie(3): 0 if it failed, and errno. */
static ssize_t sink_write(void *cookie, const char *s, size_t n)
{
	struct sink *sink = cookie;
	struct str out = {0};
	size_t rest;
	int rc;

	str_addn(&sink->kept, s, n);
	rest = unfinished(str_text(&sink->kept), sink->kept.n);
	add(&out, str_text(&sink->kept), sink->kept.n - rest);
	rc = file_put(sink->fd, str_text(&out), out.n);
	if (sink->kept.n) {
		memmove(sink->kept.s, sink->kept.s + sink->kept.n - rest, rest);
		sink->kept.n = rest;
	}
	str_release(&out);
	errno = rc ? -rc : errno;
	return rc ? 0 : (ssize_t)n;
}

static int sink_close(void *cookie)
{
	struct sink *sink = cookie;

	str_release(&sink->kept);
	free(sink);
	return 0;
}

FILE *ascii_stream(int fd, bool now)
{
	struct sink *sink = mem_zalloc(1, sizeof(*sink));
	FILE *out;

	sink->fd = fd;
	out = fopencookie(sink, "w",
			  (cookie_io_functions_t){.write = sink_write, .close = sink_close});
	if (!out)
		free(sink);
	else if (now)
		setvbuf(out, NULL, _IONBF, 0);
	return out;
}
