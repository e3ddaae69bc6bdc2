#include "base/intern.h"

#include <assert.h>
#include <string.h>

static uint32_t append(struct intern *in, const char *s, size_t n)
{
	assert(in->start.n < UINT32_MAX);
	vec_push(&in->start, in->bytes.n);
	vec_reserve(&in->bytes, in->bytes.n + n + 1);
	memcpy(in->bytes.at + in->bytes.n, s, n);
	in->bytes.at[in->bytes.n + n] = 0;
	in->bytes.n += n + 1;
	return in->start.n - 1;
}

static size_t length(const struct intern *in, uint32_t id)
{
	size_t end = id + 1 < in->start.n ? in->start.at[id + 1] : in->bytes.n;

	return end - in->start.at[id] - 1;
}

static uint32_t add_new(struct intern *in, const char *s, size_t n)
{
	/* append() may move the bytes of a string of ours. */
	bool ours = in->bytes.at && s >= in->bytes.at && s < in->bytes.at + in->bytes.n;
	_free_ char *copy = ours ? mem_strndup(s, n) : NULL;

	return append(in, copy ? copy : s, n);
}

uint32_t intern_addn(struct intern *in, const char *s, size_t n)
{
	uint64_t hash;

	n = strnlen(s, n);
	if (!in->start.n)
		append(in, "", 0);
	if (!n)
		return 0;
	for (hash = hash_bytes(s, n);; hash++) {
		bool fresh;
		uint32_t *id = map_put(&in->by_hash, hash, &fresh);

		if (fresh)
			return *id = add_new(in, s, n);
		if (length(in, *id) == n && !memcmp(intern_text(in, *id), s, n))
			return *id;
	}
}

uint32_t intern_add(struct intern *in, const char *s)
{
	return intern_addn(in, s, strlen(s));
}

const char *intern_text(const struct intern *in, uint32_t id)
{
	if (!id)
		return "";
	assert(id < in->start.n);
	return in->bytes.at + in->start.at[id];
}

size_t intern_count(const struct intern *in)
{
	return in->start.n ? in->start.n : 1;
}

void intern_reserve(struct intern *in, size_t n, size_t bytes)
{
	vec_reserve(&in->start, n);
	vec_reserve(&in->bytes, bytes);
	map_reserve(&in->by_hash, n);
}

void intern_release(struct intern *in)
{
	vec_release(&in->bytes);
	vec_release(&in->start);
	map_release(&in->by_hash);
}
