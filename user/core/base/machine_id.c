#include "base/machine_id.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "base/sha256.h"
#include "base/str.h"

#define MARK	 "h1:"
#define ID_BYTES 16

/* eprof's own, drawn once: the same for all times, or runs would not be known again. */
static const uint8_t application[ID_BYTES] = {0x4c, 0x1b, 0x9e, 0x27, 0xd3, 0x60, 0x4f, 0x8a,
					      0xb5, 0x0d, 0x72, 0xe8, 0x96, 0x3a, 0x11, 0xc7};

static int digit(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : (c | 0x20) - 'a' + 10;
}

static bool is_hex(const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isxdigit((unsigned char)text[i]))
			return false;
	return true;
}

static bool is_hashed(const char *text)
{
	const size_t n = strlen(MARK) + 2 * ID_BYTES;

	return str_starts(text, MARK) && strlen(text) == n &&
	       is_hex(text + strlen(MARK), 2 * ID_BYTES);
}

/* HMAC-SHA256 of the application's id with the machine's as its key, as a version 4 UUID. */
char *machine_id_hashed(const char *text)
{
	uint8_t id[ID_BYTES], hash[SHA256_BYTES];
	const size_t n = strlen(text);
	struct str out = {0};

	if (!n || is_hashed(text))
		return mem_strdup(text);
	if (n == 2 * ID_BYTES && is_hex(text, n)) {
		for (size_t i = 0; i < ID_BYTES; i++)
			id[i] = (uint8_t)(digit(text[2 * i]) << 4 | digit(text[2 * i + 1]));
		sha256_hmac(id, sizeof(id), application, sizeof(application), hash);
	} else {
		sha256_hmac(text, n, application, sizeof(application), hash);
	}
	hash[6] = (hash[6] & 0x0f) | 0x40;
	hash[8] = (hash[8] & 0x3f) | 0x80;
	str_add(&out, MARK);
	for (size_t i = 0; i < ID_BYTES; i++)
		str_addf(&out, "%02x", hash[i]);
	return str_steal(&out);
}
