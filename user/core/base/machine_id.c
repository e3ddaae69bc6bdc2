#include "base/machine_id.h"

#include <ctype.h>
#include <endian.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

/* --- sha256 ----------------------------------------------------------------------------------- */

#define BLOCK 64

/* FIPS 180-4, section 4.2.2. */
static const uint32_t constants[64] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
	0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
	0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
	0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
	0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
	0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
	0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
	0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
	0xc67178f2,
};

static uint32_t rotate(uint32_t x, int n)
{
	return x >> n | x << (32 - n);
}

/* Section 6.2.2, step 1. */
static void schedule(const uint8_t *block, uint32_t w[64])
{
	for (size_t i = 0; i < 16; i++) {
		memcpy(&w[i], block + 4 * i, 4);
		w[i] = be32toh(w[i]);
	}
	for (size_t i = 16; i < 64; i++) {
		const uint32_t a = w[i - 15], b = w[i - 2];

		w[i] = (rotate(b, 17) ^ rotate(b, 19) ^ b >> 10) + w[i - 7] +
		       (rotate(a, 7) ^ rotate(a, 18) ^ a >> 3) + w[i - 16];
	}
}

static void take_block(uint32_t h[8], const uint8_t *block)
{
	uint32_t w[64], s[8];

	schedule(block, w);
	memcpy(s, h, sizeof(s));
	for (size_t i = 0; i < 64; i++) {
		const uint32_t e = s[4], a = s[0];
		const uint32_t t1 = s[7] + (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) +
				    ((e & s[5]) ^ (~e & s[6])) + constants[i] + w[i];
		const uint32_t t2 = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) +
				    ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));

		memmove(s + 1, s, 7 * sizeof(*s));
		s[4] += t1;
		s[0] = t1 + t2;
	}
	for (size_t i = 0; i < 8; i++)
		h[i] += s[i];
}

void sha256(const void *data, size_t n, uint8_t out[SHA256_BYTES])
{
	uint32_t h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
			 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
	const uint8_t *at = data;
	uint8_t last[2 * BLOCK] = {0};
	const size_t rest = n % BLOCK, tail = rest < BLOCK - 8 ? BLOCK : 2 * BLOCK;
	const uint64_t bits = htobe64((uint64_t)n * 8);

	for (size_t i = 0; i < n / BLOCK; i++)
		take_block(h, at + i * BLOCK);
	if (rest)
		memcpy(last, at + n - rest, rest);
	last[rest] = 0x80;
	memcpy(last + tail - sizeof(bits), &bits, sizeof(bits));
	for (size_t i = 0; i < tail; i += BLOCK)
		take_block(h, last + i);
	for (size_t i = 0; i < 8; i++) {
		const uint32_t word = htobe32(h[i]);

		memcpy(out + 4 * i, &word, 4);
	}
}

/* Hashes @key, each byte xor @pad, and @data. */
static void padded(const uint8_t key[BLOCK], uint8_t pad, const void *data, size_t n,
		   uint8_t out[SHA256_BYTES])
{
	_free_ uint8_t *all = mem_zalloc(BLOCK + n, 1);

	for (size_t i = 0; i < BLOCK; i++)
		all[i] = key[i] ^ pad;
	memcpy(all + BLOCK, data, n);
	sha256(all, BLOCK + n, out);
}

void sha256_hmac(const void *key, size_t key_n, const void *data, size_t n,
		 uint8_t out[SHA256_BYTES])
{
	uint8_t block[BLOCK] = {0}, inner[SHA256_BYTES];

	if (key_n > BLOCK)
		sha256(key, key_n, block);
	else
		memcpy(block, key, key_n);
	padded(block, 0x36, data, n, inner);
	padded(block, 0x5c, inner, sizeof(inner), out);
}

#define MARK	 "h1:"
#define ID_BYTES 16

/* eprof's own random id. It must never change: runs of one machine would not be recognised. */
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
