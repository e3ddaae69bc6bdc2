#include "function/zonewire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

#define MAGIC 0x656e6f7a /* distinguishes a cut-off rest from a head */

#define NO_TEXT UINT32_MAX

/* What the smallest of each takes: numbers that cannot be true cost no memory. */
#define LEAST_SITE 24
#define LEAST_ZONE 64

/* --- writing -------------------------------------------------------------------------------- */

static void put(struct str *s, uint64_t value, size_t bytes)
{
	str_addn(s, (const char *)&value, bytes);
}

static void put_text(struct str *s, const char *text)
{
	put(s, text ? strlen(text) : NO_TEXT, 4);
	if (text)
		str_addn(s, text, strlen(text));
}

static void put_site(struct str *s, const struct site *site)
{
	put(s, site->address, 8);
	put(s, site->offset, 8);
	put(s, site->class, 4);
	put(s, site->condition, 4);
}

static void put_sites(struct str *s, const struct sites *sites)
{
	put_site(s, &sites->entry);
	put(s, sites->exits.n, 4);
	for (size_t i = 0; i < sites->exits.n; i++)
		put_site(s, &sites->exits.at[i]);
	put(s, sites->exits_known, 1);
	put(s, sites->splits, 1);
	put(s, sites->loops, 1);
	put(s, sites->own_return, 1);
	put(s, sites_reason_number(sites->why), 4);
	put(s, sites_reason_number(sites->exits_why), 4);
}

static void put_zone(struct str *s, const struct zone_def *z)
{
	put_text(s, z->name);
	put_text(s, z->linkage);
	put_text(s, z->file);
	put(s, z->line, 4);
	put(s, z->pattern, 4);
	put(s, z->actions, 4);
	put(s, z->address, 8);
	put(s, z->size, 8);
	put(s, z->offset, 8);
	put_sites(s, &z->sites);
}

static void put_switch(struct str *s, const struct zone_switch *z)
{
	put_text(s, z->name);
	put(s, z->address, 8);
	put(s, z->size, 8);
	put(s, z->offset, 8);
	put_sites(s, &z->sites);
}

static void put_list(struct str *s, const struct zonelist *l)
{
	put_text(s, l->problem);
	put_text(s, l->hijack_unsafe);
	put(s, l->flags, 4);
	put(s, l->functions, 8);
	put(s, l->matched, 8);
	put(s, l->hits.n, 4);
	for (size_t i = 0; i < l->hits.n; i++)
		put(s, l->hits.at[i], 4);
	put(s, l->zones.n, 4);
	for (size_t i = 0; i < l->zones.n; i++)
		put_zone(s, &l->zones.at[i]);
	put(s, l->switches.n, 4);
	for (size_t i = 0; i < l->switches.n; i++)
		put_switch(s, &l->switches.at[i]);
}

int zonewire_write(const struct zonewire *w, int fd)
{
	struct str s = {0};
	int rc;

	put(&s, MAGIC, 4);
	put(&s, w->task, 4);
	put_list(&s, &w->list);
	put(&s, w->nearest.n, 4);
	for (size_t i = 0; i < w->nearest.n; i++) {
		put_text(&s, w->nearest.at[i].name);
		put(&s, w->nearest.at[i].distance, 4);
	}
	while (s.n % 4)
		str_addc(&s, '\0');
	rc = file_put(fd, s.s, s.n);
	str_release(&s);
	return rc;
}

/* --- reading -------------------------------------------------------------------------------- */

/* A read that does not fit, or makes no sense, leaves it bad and empty. */
struct source {
	const char *at, *end;
	bool bad;
};

static void fail(struct source *s)
{
	s->at = s->end;
	s->bad = true;
}

static uint64_t get(struct source *s, size_t bytes)
{
	uint64_t value = 0;

	if ((size_t)(s->end - s->at) < bytes) {
		fail(s);
		return 0;
	}
	memcpy(&value, s->at, bytes);
	s->at += bytes;
	return value;
}

static uint64_t get_below(struct source *s, size_t bytes, uint64_t limit)
{
	const uint64_t value = get(s, bytes);

	if (value >= limit) {
		fail(s);
		return 0;
	}
	return value;
}

/* A number of things that take at least @least bytes each. */
static size_t get_count(struct source *s, size_t least)
{
	const uint64_t n = get(s, 4);

	if (n > (size_t)(s->end - s->at) / least) {
		fail(s);
		return 0;
	}
	return n;
}

/* NULL where there was none. */
static char *get_text(struct source *s)
{
	const uint64_t n = get(s, 4);
	const char *at = s->at;

	if (n == NO_TEXT)
		return NULL;
	if (n > (size_t)(s->end - s->at)) {
		fail(s);
		return NULL;
	}
	s->at += n;
	return str_clean(at, n);
}

static char *get_some_text(struct source *s)
{
	char *text = get_text(s);

	if (!text)
		fail(s);
	return text;
}

static void get_site(struct source *s, struct site *out)
{
	out->address = get(s, 8);
	out->offset = get(s, 8);
	out->class = (enum site_class)get_below(s, 4, SITE_STEPPED + 1);
	out->condition = (uint8_t)get_below(s, 4, SITE_ALWAYS + 1);
	if (out->condition > 0xf && out->condition != SITE_ALWAYS)
		fail(s);
}

static void get_sites(struct source *s, struct sites *out)
{
	size_t n;

	get_site(s, &out->entry);
	n = get_count(s, LEAST_SITE);
	for (size_t i = 0; i < n; i++)
		get_site(s, vec_add(&out->exits));
	for (size_t i = 0; i < out->exits.n; i++)
		if (out->exits.at[i].class == SITE_UNKNOWN)
			fail(s);
	out->exits_known = get_below(s, 1, 2);
	out->splits = get_below(s, 1, 2);
	out->loops = get_below(s, 1, 2);
	out->own_return = get_below(s, 1, 2);
	out->why = sites_reason((uint32_t)get(s, 4));
	out->exits_why = sites_reason((uint32_t)get(s, 4));
	if (!out->why && out->entry.class == SITE_UNKNOWN)
		fail(s);
}

static void get_zone(struct source *s, size_t n_patterns, struct zone_def *out)
{
	out->name = get_some_text(s);
	out->linkage = get_text(s);
	out->file = get_text(s);
	out->line = (uint32_t)get(s, 4);
	out->pattern = (uint32_t)get_below(s, 4, n_patterns ? n_patterns : 1);
	out->actions = (uint32_t)get(s, 4);
	out->address = get(s, 8);
	out->size = get(s, 8);
	out->offset = get(s, 8);
	get_sites(s, &out->sites);
}

static void get_switch(struct source *s, struct zone_switch *out)
{
	out->name = get_some_text(s);
	out->address = get(s, 8);
	out->size = get(s, 8);
	out->offset = get(s, 8);
	get_sites(s, &out->sites);
}

static void get_list(struct source *s, size_t n_patterns, struct zonelist *out)
{
	size_t n;

	out->problem = get_text(s);
	out->hijack_unsafe = get_text(s);
	out->flags = (uint32_t)get(s, 4);
	out->functions = get(s, 8);
	out->matched = get(s, 8);
	n = get_count(s, 4);
	for (size_t i = 0; i < n; i++)
		vec_push(&out->hits, (uint32_t)get(s, 4));
	if (n != n_patterns)
		fail(s);
	n = get_count(s, LEAST_ZONE);
	for (size_t i = 0; i < n; i++)
		get_zone(s, n_patterns, vec_add(&out->zones));
	n = get_count(s, LEAST_ZONE - 24);
	for (size_t i = 0; i < n; i++)
		get_switch(s, vec_add(&out->switches));
	if (out->matched < out->zones.n)
		fail(s);
}

static void get_nearest(struct source *s, struct nearest *out)
{
	const size_t n = get_below(s, 4, NEAREST_MAX + 1);

	for (size_t i = 0; i < n; i++) {
		_free_ char *name = get_some_text(s);
		const uint32_t distance = (uint32_t)get(s, 4);

		if (!s->bad)
			nearest_add(out, name, distance);
	}
}

size_t zonewire_read(const void *bytes, size_t n, size_t n_patterns, struct zonewire *out)
{
	struct source s = {.at = bytes, .end = (const char *)bytes + n};
	size_t used;

	*out = (struct zonewire){0};
	if (get(&s, 4) != MAGIC)
		return 0;
	out->task = (uint32_t)get(&s, 4);
	get_list(&s, n_patterns, &out->list);
	get_nearest(&s, &out->nearest);
	used = (size_t)(s.at - (const char *)bytes);
	used = (used + 3) & ~(size_t)3;
	if (!s.bad && used <= n)
		return used;
	zonewire_release(out);
	return 0;
}

void zonewire_release(struct zonewire *w)
{
	zonelist_release(&w->list);
	nearest_release(&w->nearest);
	*w = (struct zonewire){0};
}
