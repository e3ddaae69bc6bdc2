#include "import/unzip.h"

#include <errno.h>
#include <string.h>
#include <zlib.h>

#include "base/err.h"

#define BITS_GZIP (15 + 16)
#define PIECE	  ((size_t)1 << 20)

bool unzip_is(struct span s)
{
	return s.n > 2 && !memcmp(s.s, "\x1f\x8b", 2);
}

/* One piece more of @z to @out; what inflate() returned. */
static int inflate_piece(z_stream *z, unzip_bytes *out)
{
	int rc;

	vec_reserve(out, out->n + PIECE);
	z->next_out = out->at + out->n;
	z->avail_out = PIECE;
	rc = inflate(z, Z_NO_FLUSH);
	out->n += PIECE - z->avail_out;
	return rc;
}

/* A file may be several gzips, one behind the other. */
static int inflate_all(z_stream *z, const char *name, unzip_bytes *out)
{
	while (z->avail_in) {
		int rc = inflate_piece(z, out);

		if (rc == Z_STREAM_END)
			rc = inflateReset(z);
		else if (rc == Z_OK && !z->avail_in && z->avail_out)
			return err(-EINVAL, "'%s' is cut off: its gzip does not end", name);
		if (rc != Z_OK)
			return err(-EINVAL, "'%s' is damaged: %s", name,
				   z->msg ? z->msg : "its gzip is wrong");
		if (out->n > UNZIP_BYTES_MAX)
			return err(-EFBIG, "'%s' holds more than %zu MiB in its gzip", name,
				   UNZIP_BYTES_MAX >> 20);
	}
	return 0;
}

int unzip(const char *name, struct span file, unzip_bytes *out)
{
	z_stream z = {.next_in = (Bytef *)file.s, .avail_in = (uInt)file.n};
	int rc;

	if (inflateInit2(&z, BITS_GZIP) != Z_OK)
		return err(-ENOMEM, "'%s': no memory to unpack it", name);
	rc = inflate_all(&z, name, out);
	inflateEnd(&z);
	return rc;
}

bool utf16_is(struct span s)
{
	return s.n > 2 && (!memcmp(s.s, "\xff\xfe", 2) || !memcmp(s.s, "\xfe\xff", 2));
}

/* RFC 3629 */
static void add_utf8(unzip_bytes *out, uint32_t c)
{
	static const struct {
		uint32_t below;
		uint8_t more, first;
	} forms[] = {{0x80, 0, 0}, {0x800, 1, 0xc0}, {0x10000, 2, 0xe0}, {0x110000, 3, 0xf0}};
	size_t i = 0;

	while (c >= forms[i].below)
		i++;
	vec_push(out, (uint8_t)(forms[i].first | c >> 6 * forms[i].more));
	for (unsigned k = forms[i].more; k-- > 0;)
		vec_push(out, (uint8_t)(0x80 | (c >> 6 * k & 0x3f)));
}

/* The unit at @at; 0 behind the end. */
static uint32_t unit_at(struct span s, size_t at, bool big)
{
	const uint8_t *b = (const uint8_t *)s.s + at;

	if (at + 2 > s.n)
		return 0;
	return big ? (uint32_t)b[0] << 8 | b[1] : (uint32_t)b[1] << 8 | b[0];
}

int utf16_decode(const char *name, struct span file, unzip_bytes *out)
{
	const bool big = (uint8_t)file.s[0] == 0xfe;

	if (file.n > UNZIP_BYTES_MAX)
		return err(-EFBIG, "'%s' is larger than %zu MiB", name, UNZIP_BYTES_MAX >> 20);
	for (size_t at = 2; at + 2 <= file.n; at += 2) {
		uint32_t c = unit_at(file, at, big);
		const uint32_t low = unit_at(file, at + 2, big);

		if (c >= 0xd800 && c < 0xdc00 && low >= 0xdc00 && low < 0xe000) {
			c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
			at += 2;
		}
		add_utf8(out, c >= 0xd800 && c < 0xe000 ? 0xfffd : c);
	}
	return 0;
}
