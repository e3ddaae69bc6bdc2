#include "web/pack.h"

#include <errno.h>
#include <libdeflate.h>

#include "base/err.h"
#include "base/str.h"

/* libdeflate's 5 to 8 take about as long here, and 7 leaves 1 % less than 5. */
#define DEFLATE_LEVEL 7
/* What a browser takes for one text is a quarter of it; and that deflated. */
#define PACK_MOST  UINT32_MAX
#define MAX_VARINT 10

void pack_uint(struct pack *p, uint64_t v)
{
	vec_reserve(&p->bytes, p->bytes.n + MAX_VARINT);
	while (v >= 0x80) {
		p->bytes.at[p->bytes.n++] = (uint8_t)(v | 0x80);
		v >>= 7;
	}
	p->bytes.at[p->bytes.n++] = (uint8_t)v;
}

void pack_int(struct pack *p, int64_t v)
{
	pack_uint(p, (uint64_t)v << 1 ^ (uint64_t)(v >> 63));
}

void pack_float(struct pack *p, double v)
{
	union {
		float f;
		uint32_t u;
	} bits = {.f = (float)v};

	for (int shift = 0; shift < 32; shift += 8)
		vec_push(&p->bytes, (uint8_t)(bits.u >> shift));
}

static void pack_bytes(struct pack *p, const void *data, size_t n)
{
	if (!n)
		return;
	vec_reserve(&p->bytes, p->bytes.n + n);
	memcpy(p->bytes.at + p->bytes.n, data, n);
	p->bytes.n += n;
}

void pack_move(struct pack *p, struct pack *from)
{
	pack_bytes(p, from->bytes.at, from->bytes.n);
	pack_release(from);
}

uint32_t pack_string(struct pack *p, const char *text)
{
	_free_ char *clean = str_clean(text, strlen(text));

	return intern_add(&p->strings, clean);
}

/* The four digits of up to three bytes. */
static void base64_group(const uint8_t *d, size_t n, char *four)
{
	static const char digit[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t v = (uint32_t)d[0] << 16 | (n > 1 ? (uint32_t)d[1] << 8 : 0) | (n > 2 ? d[2] : 0);

	four[0] = digit[v >> 18];
	four[1] = digit[v >> 12 & 63];
	four[2] = n > 1 ? digit[v >> 6 & 63] : '=';
	four[3] = n > 2 ? digit[v & 63] : '=';
}

void pack_base64(const void *data, size_t n, FILE *out)
{
	const uint8_t *d = data;
	char text[4096];
	size_t used = 0;

	for (size_t i = 0; i < n; i += 3) {
		base64_group(d + i, n - i, text + used);
		used += 4;
		if (used == sizeof(text)) {
			fwrite(text, 1, used, out);
			used = 0;
		}
	}
	fwrite(text, 1, used, out);
}

/* Characters 36 to 122 without < and >. */
static char digit85(uint32_t digit)
{
	return (char)(digit < 24 ? 36 + digit : digit == 24 ? '=' : 38 + digit);
}

/* Up to four bytes as a digit more than there are of them. */
static void base85_group(const uint8_t *d, size_t n, char *text)
{
	uint32_t v = 0;

	for (size_t k = 0; k < 4; k++)
		v = v << 8 | (k < n ? d[k] : 0);
	for (size_t k = 5; k-- > 0; v /= 85)
		text[k] = digit85(v % 85);
}

void pack_base85(const void *data, size_t n, FILE *out)
{
	const uint8_t *d = data;
	char text[5 * 1024];
	size_t used = 0;

	for (size_t i = 0; i < n; i += 4) {
		const size_t left = n - i < 4 ? n - i : 4;

		base85_group(d + i, left, text + used);
		used += left + 1;
		if (used + 5 > sizeof(text)) {
			fwrite(text, 1, used, out);
			used = 0;
		}
	}
	fwrite(text, 1, used, out);
}

/* How many strings, their lengths, then their bytes without the NULs. */
static void strings_pack(const struct intern *strings, struct pack *out)
{
	size_t n = intern_count(strings);

	pack_uint(out, n);
	for (uint32_t i = 0; i < n; i++)
		pack_uint(out, strlen(intern_text(strings, i)));
	for (uint32_t i = 0; i < n; i++) {
		const char *s = intern_text(strings, i);

		pack_bytes(out, s, strlen(s));
	}
}

int pack_write(const struct pack *p, FILE *out)
{
	struct libdeflate_compressor *z = libdeflate_alloc_compressor(DEFLATE_LEVEL);
	_free_ uint8_t *deflated = NULL;
	struct pack all = {0};
	size_t room;
	int rc = 0;

	strings_pack(&p->strings, &all);
	pack_bytes(&all, p->bytes.at, p->bytes.n);
	room = libdeflate_zlib_compress_bound(z, all.bytes.n);
	if (!z || room > PACK_MOST) {
		rc = err(-EFBIG, "the profile is too large for an HTML page; select a part of it");
	} else {
		deflated = mem_realloc(NULL, room, 1);
		room = libdeflate_zlib_compress(z, all.bytes.at, all.bytes.n, deflated, room);
		pack_base85(deflated, room, out);
	}
	libdeflate_free_compressor(z);
	pack_release(&all);
	return rc;
}

void pack_release(struct pack *p)
{
	vec_release(&p->bytes);
	intern_release(&p->strings);
}
