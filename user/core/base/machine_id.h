/*
 * machine_id: a keyed hash of /etc/machine-id, which machine-id(5) calls confidential: profiles
 * hold it, so that runs of one machine are recognised and nobody learns the id.
 */
#ifndef BASE_MACHINE_ID_H
#define BASE_MACHINE_ID_H

#include <stddef.h>
#include <stdint.h>

/* SHA-256 (FIPS 180-4) and HMAC (RFC 2104) of short texts in memory. */
#define SHA256_BYTES 32
void sha256(const void *data, size_t n, uint8_t out[SHA256_BYTES]);
void sha256_hmac(const void *key, size_t key_n, const void *data, size_t n,
		 uint8_t out[SHA256_BYTES]);

/* "h1:" and 32 hex digits: the id that sd_id128_get_machine_app_specific(3) would give to eprof for
 * the raw id @text, which older profiles have. A hashed or empty @text is copied. Freed by the
 * caller. */
char *machine_id_hashed(const char *text);

#endif
