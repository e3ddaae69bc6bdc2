/*
 * sha256: SHA-256 (FIPS 180-4) and HMAC (RFC 2104) of short texts in memory.
 */
#ifndef BASE_SHA256_H
#define BASE_SHA256_H

#include <stddef.h>
#include <stdint.h>

#define SHA256_BYTES 32

void sha256(const void *data, size_t n, uint8_t out[SHA256_BYTES]);
void sha256_hmac(const void *key, size_t key_n, const void *data, size_t n,
		 uint8_t out[SHA256_BYTES]);

#endif
