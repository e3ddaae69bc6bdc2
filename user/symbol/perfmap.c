#include "symbol/perfmap.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/vec.h"

/* Some ten million lines. Anything beyond is not read. */
#define MAX_BYTES (1ull << 30)
#define CHUNK	  (256 * 1024) /* also the longest line */
#define MAX_NAME  2048

/* Limits the work: in a hostile file every line may cover every wanted address. */
#define MAX_MATCHES (64u << 20)

struct reading {
	const uint64_t *addresses;
	size_t n;
	char **names;
	struct perfmap_stats *stats;
	uint64_t matches;
	void (*each)(void *context, const char *name); /* called with each name; may be NULL */
	void *context;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static const char *skip_blanks(const char *s, const char *end)
{
	while (s < end && is_blank(*s))
		s++;
	return s;
}

/* A number, and what parts it from the next. */
static bool parse_hex(const char **at, const char *end, uint64_t *out)
{
	const char *s = *at;
	int digits = 0;

	if (end - s > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
		s += 2;
	for (*out = 0; s < end && isxdigit((unsigned char)*s); s++, digits++)
		*out = (*out << 4) |
		       (uint64_t)(isdigit((unsigned char)*s) ? *s - '0' : (*s | 0x20) - 'a' + 10);
	if (!digits || digits > 16 || s == end || !is_blank(*s))
		return false;
	*at = skip_blanks(s, end);
	return true;
}

static void take_bad_line(struct reading *r)
{
	if (!r->stats->bad_lines++)
		r->stats->first_bad = r->stats->lines;
}

static void take_line(struct reading *r, const char *at, const char *end)
{
	uint64_t start, size;
	size_t n;

	r->stats->lines++;
	end -= end > at && end[-1] == '\r';
	at = skip_blanks(at, end);
	if (at == end)
		return;
	if (!parse_hex(&at, end, &start) || !parse_hex(&at, end, &size) || at == end ||
	    size > UINT64_MAX - start) {
		take_bad_line(r);
		return;
	}
	n = (size_t)(end - at) < MAX_NAME ? (size_t)(end - at) : MAX_NAME;
	if (r->each) {
		_free_ char *name = mem_strndup(at, n);

		r->each(r->context, name);
	}
	for (size_t i = bound_lower(r->addresses, r->n, start);
	     i < r->n && r->addresses[i] < start + size; i++) {
		if (r->matches++ > MAX_MATCHES)
			return;
		free(r->names[i]);
		r->names[i] = mem_strndup(at, n);
	}
}

/* Takes the complete lines in @buf; returns their length. */
static size_t take_lines(struct reading *r, const char *buf, size_t n)
{
	size_t at = 0;

	while (at < n) {
		const char *end = memchr(buf + at, '\n', n - at);

		if (!end)
			break;
		take_line(r, buf + at, end);
		at = (size_t)(end - buf) + 1;
	}
	return at;
}

static void read_map(int fd, struct reading *r)
{
	_free_ char *buf = mem_zalloc(CHUNK, 1);
	size_t kept = 0, used;
	off_t offset = 0;
	ssize_t got;

	while ((uint64_t)offset < MAX_BYTES &&
	       (got = pread(fd, buf + kept, CHUNK - kept, offset)) > 0) {
		offset += got;
		kept += (size_t)got;
		used = take_lines(r, buf, kept);
		if (!used && kept == CHUNK) { /* a line longer than the buffer */
			r->stats->lines++;
			take_bad_line(r);
			used = kept;
		}
		memmove(buf, buf + used, kept - used);
		kept -= used;
	}
	if (kept)
		take_line(r, buf, buf + kept);
}

void perfmap_find(int fd, const uint64_t *addresses, size_t n, char **names,
		  struct perfmap_stats *stats)
{
	struct reading r = {.addresses = addresses, .n = n, .names = names, .stats = stats};

	read_map(fd, &r);
}

void perfmap_names(int fd, void (*each)(void *context, const char *name), void *context)
{
	struct perfmap_stats stats = {0};
	struct reading r = {.stats = &stats, .each = each, .context = context};

	read_map(fd, &r);
}
