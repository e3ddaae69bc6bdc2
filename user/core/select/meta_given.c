#include "select/meta_given.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "model/meta.h"

/* What profiles say themselves, and the option by which one may say it; NULL: none. */
static const struct {
	const char *key, *option;
} ours[] = {
	{META_VERSION, "--version-key"},
	{META_VERSION_ORIGIN, "--version-key"},
	{META_PLATFORM, NULL},
	{META_MACHINE, NULL},
	{META_TIMESTAMP, NULL},
	{META_SYSTEM, NULL},
	{META_ARCH, NULL},
	{META_NODE, NULL},
	{META_RELEASE, NULL},
	{META_PROCESSOR, NULL},
	{META_CPU_FINGERPRINT, NULL},
	{META_CORES, NULL},
	{META_COMPILER, NULL},
};
#define OURS (sizeof(ours) / sizeof(*ours))

/* The row of @key; OURS: there is none. */
static size_t find(const char *key)
{
	size_t i = 0;

	while (i < OURS && strcmp(ours[i].key, key) != 0)
		i++;
	return i;
}

bool meta_is_ours(const char *key)
{
	return find(key) < OURS;
}

/* Numbers and texts that the file keeps of every run (store/schema.h). */
static bool is_of_file(const char *key)
{
	static const char *const keys[] = {"started", "started_unix_ns", "duration_ns", "hz",
					   "parts"};

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (!strcmp(key, keys[i]))
			return true;
	return str_starts(key, "meta.") || str_starts(key, REGRESSION_PREFIX);
}

static bool is_key(const char *key)
{
	static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789_.-";
	const size_t n = strlen(key);

	return n && n <= META_KEY_BYTES && strspn(key, allowed) == n && key[0] != '-' &&
	       key[0] != '.';
}

static int check(const struct meta_given *m, const char *key, const char *value)
{
	const size_t own = find(key), n = strlen(value);

	if (!is_key(key))
		return err(-EINVAL,
			   "--meta: '%s' is no key: 1 to %d letters, digits, '_', '.' and '-'", key,
			   META_KEY_BYTES);
	if (own < OURS && ours[own].option)
		return err(-EINVAL, "--meta: '%s' is set by %s", key, ours[own].option);
	if (own < OURS || is_of_file(key))
		return err(-EINVAL, "--meta: a profile says '%s' itself: name another key", key);
	if (!n || n > META_VALUE_BYTES || !str_is_clean(value, n))
		return err(-EINVAL,
			   "--meta %s: the value must be 1 to %d bytes of UTF-8 without control "
			   "characters",
			   key, META_VALUE_BYTES);
	for (size_t i = 0; i < m->pairs.n; i++)
		if (!strcmp(m->pairs.at[i].key, key))
			return err(-EINVAL, "--meta: '%s' is given twice", key);
	return 0;
}

int meta_given_take(void *meta_given, const char *pair)
{
	struct meta_given *m = meta_given;
	const char *equals = strchr(pair, '=');
	_free_ char *key = NULL;
	int rc;

	if (!equals)
		return err(-EINVAL, "--meta needs KEY=VALUE, not '%s'", pair);
	if (m->pairs.n == META_GIVEN_MOST)
		return err(-E2BIG, "--meta: at most %d are kept", META_GIVEN_MOST);
	key = mem_printf("%.*s", (int)(equals - pair), pair);
	rc = check(m, key, equals + 1);
	if (rc)
		return rc;
	vec_push(&m->pairs, ((struct meta_pair){key, equals + 1}));
	key = NULL;
	return 0;
}

void meta_given_apply(const struct meta_given *m, struct profile *p)
{
	for (size_t i = 0; i < m->pairs.n; i++)
		profile_set_meta(p, m->pairs.at[i].key, m->pairs.at[i].value);
}

void meta_given_release(struct meta_given *m)
{
	for (size_t i = 0; i < m->pairs.n; i++)
		free(m->pairs.at[i].key);
	vec_release(&m->pairs);
}
