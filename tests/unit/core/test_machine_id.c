/* base/machine_id, and SHA-256 by the vectors of FIPS 180-4 and RFC 4231. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/machine_id.h"
#include "base/mem.h"
#include "model/meta.h"
#include "model/profile.h"

static void assert_hash(const uint8_t hash[SHA256_BYTES], const char *expected)
{
	char hex[2 * SHA256_BYTES + 1];

	for (size_t i = 0; i < SHA256_BYTES; i++)
		snprintf(hex + 2 * i, 3, "%02x", hash[i]);
	assert_string_equal(hex, expected);
}

static void assert_sha(const char *text, const char *expected)
{
	uint8_t hash[SHA256_BYTES];

	sha256(text, strlen(text), hash);
	assert_hash(hash, expected);
}

static void hashes_as_the_standard_says(void **state)
{
	_free_ char *million = mem_zalloc(1000001, 1);
	uint8_t hash[SHA256_BYTES], key[131];

	(void)state;
	assert_sha("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	assert_sha("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	assert_sha("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		   "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
	memset(million, 'a', 1000000);
	assert_sha(million, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
	/* RFC 4231, cases 2 and 6. */
	sha256_hmac("Jefe", 4, "what do ya want for nothing?", 28, hash);
	assert_hash(hash, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
	memset(key, 0xaa, sizeof(key));
	sha256_hmac(key, sizeof(key), "Test Using Larger Than Block-Size Key - Hash Key First", 54,
		    hash);
	assert_hash(hash, "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

#define RAW "0123456789abcdef0123456789abcdef"

static void tells_nobody_the_id(void **state)
{
	_free_ char *hashed = machine_id_hashed(RAW), *again = machine_id_hashed(hashed);
	_free_ char *none = machine_id_hashed(""), *odd = machine_id_hashed("uninitialized");
	_free_ char *upper = machine_id_hashed("0123456789ABCDEF0123456789ABCDEF");
	_free_ char *forged = machine_id_hashed("h1:" RAW "0");

	(void)state;
	assert_null(strstr(hashed, RAW));
	assert_int_equal(strlen(hashed), 35);
	assert_int_equal(hashed[15], '4');
	assert_string_equal(again, hashed);
	assert_string_equal(upper, hashed);
	assert_string_equal(none, "");
	assert_string_not_equal(odd, hashed);
	assert_null(strstr(forged, RAW));
}

/* Whichever way an id comes, that of an older profile too. */
static void no_profile_has_a_raw_one(void **state)
{
	struct profile *p = profile_new();
	_free_ char *hashed = machine_id_hashed(RAW);

	(void)state;
	profile_set_meta(p, META_MACHINE, RAW);
	assert_string_equal(profile_meta(p, META_MACHINE), hashed);
	profile_set_meta(p, META_MACHINE, hashed);
	assert_string_equal(profile_meta(p, META_MACHINE), hashed);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hashes_as_the_standard_says),
		cmocka_unit_test(tells_nobody_the_id),
		cmocka_unit_test(no_profile_has_a_raw_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
