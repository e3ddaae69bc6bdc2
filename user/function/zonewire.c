#include "function/zonewire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

#define MAGIC 0x656e6f7a /* tells a head from the rest of an answer that was cut off */

#define NO_TEXT UINT32_MAX

/* The least bytes that one of them takes: bounds what a count in a bad answer can allocate. */
#define LEAST_SITE	 24
#define LEAST_ZONE	 64
#define LEAST_ENUMERATOR 12
#define LEAST_MEMBER	 32

/* One walk over the parts serves writing and reading. Reading malformed data sets .bad, and leaves
 * the rest empty. */
struct wire {
	struct str *out; /* NULL: reading */
	const char *at, *end;
	bool bad;
};

static void fail(struct wire *w)
{
	w->at = w->end;
	w->bad = true;
}

/* Fails unless @is_so. */
static void require(struct wire *w, bool is_so)
{
	if (!w->out && !is_so)
		fail(w);
}

static void pass(struct wire *w, void *value, size_t bytes)
{
	if (w->out) {
		str_addn(w->out, value, bytes);
		return;
	}
	memset(value, 0, bytes);
	if ((size_t)(w->end - w->at) < bytes) {
		fail(w);
		return;
	}
	memcpy(value, w->at, bytes);
	w->at += bytes;
}

#define PASS(w, field) pass(w, &(field), sizeof(field))

static uint32_t pass_u32(struct wire *w, uint32_t value, uint64_t below)
{
	PASS(w, value);
	require(w, value < below);
	return w->bad ? 0 : value;
}

static void pass_flag(struct wire *w, bool *flag)
{
	*flag = pass_u32(w, *flag, 2);
}

/* A number of items, each of @least bytes at least. */
static size_t pass_count(struct wire *w, size_t n, size_t least)
{
	n = pass_u32(w, (uint32_t)n, UINT64_MAX);
	require(w, n <= (size_t)(w->end - w->at) / least);
	return w->bad ? 0 : n;
}

/* A string; NULL is kept as such. */
static void pass_text(struct wire *w, char **text)
{
	const uint32_t n =
		pass_u32(w, w->out && *text ? (uint32_t)strlen(*text) : NO_TEXT, UINT64_MAX);

	if (n == NO_TEXT || w->bad)
		return;
	if (w->out) {
		str_addn(w->out, *text, n);
	} else if (n > (size_t)(w->end - w->at)) {
		fail(w);
	} else {
		*text = str_clean(w->at, n);
		w->at += n;
	}
}

static void pass_name(struct wire *w, char **text)
{
	pass_text(w, text);
	require(w, *text);
}

static void pass_site(struct wire *w, struct site *s)
{
	PASS(w, s->address);
	PASS(w, s->offset);
	s->class = (enum site_class)pass_u32(w, s->class, SITE_STEPPED + 1);
	s->condition = (uint8_t)pass_u32(w, s->condition, SITE_ALWAYS + 1);
	require(w, s->condition <= 0xf || s->condition == SITE_ALWAYS);
}

static void pass_reason(struct wire *w, const char **why)
{
	*why = sites_reason(pass_u32(w, sites_reason_number(*why), UINT64_MAX));
}

/* Calls pass_@kind for each element of @vec, which takes at least @least bytes. */
#define PASS_ALL(w, vec, least, call)                                                         \
	do {                                                                                  \
		const size_t n_ = pass_count(w, (vec)->n, least);                             \
		for (size_t i_ = 0; i_ < n_; i_++) {                                          \
			__typeof__((vec)->at) one = (w)->out ? &(vec)->at[i_] : vec_add(vec); \
			call;                                                                 \
		}                                                                             \
	} while (0)

static void pass_sites(struct wire *w, struct sites *s)
{
	pass_site(w, &s->entry);
	PASS_ALL(w, &s->exits, LEAST_SITE, {
		pass_site(w, one);
		require(w, one->class != SITE_UNKNOWN);
	});
	pass_flag(w, &s->exits_known);
	pass_flag(w, &s->splits);
	pass_flag(w, &s->loops);
	pass_flag(w, &s->own_return);
	pass_reason(w, &s->why);
	pass_reason(w, &s->exits_why);
	require(w, s->why || s->entry.class != SITE_UNKNOWN);
}

static void pass_value(struct wire *w, struct parameter *p)
{
	pass_text(w, &p->name);
	p->kind = (uint8_t)pass_u32(w, p->kind, VALUE_KINDS);
	p->place = (uint8_t)pass_u32(w, p->place, PLACES);
	p->bytes = (uint8_t)pass_u32(w, p->bytes, 9);
	pass_flag(w, &p->is_signed);
	PASS_ALL(w, &p->enumerators, LEAST_ENUMERATOR, {
		pass_name(w, &one->name);
		PASS(w, one->value);
	});
}

static void pass_member(struct wire *w, struct member *m)
{
	pass_value(w, &m->is);
	m->offset = pass_u32(w, m->offset, SIGNATURE_OFFSET);
	m->array_bytes = pass_u32(w, m->array_bytes, UINT64_MAX);
	require(w, m->array_bytes || (m->is.bytes && m->is.bytes <= 8));
	require(w, !m->array_bytes || m->is.kind == VALUE_TEXT);
}

static void pass_parameter(struct wire *w, struct parameter *p)
{
	pass_value(w, p);
	PASS_ALL(w, &p->members, LEAST_MEMBER, pass_member(w, one));
}

static void pass_signature(struct wire *w, struct signature **s)
{
	bool is_known = w->out && *s;

	pass_flag(w, &is_known);
	if (!is_known)
		return;
	if (!w->out)
		*s = mem_zalloc(1, sizeof(**s));
	(*s)->n = pass_u32(w, (*s)->n, SIGNATURE_MOST + 1);
	pass_flag(w, &(*s)->more);
	for (uint32_t i = 0; i < (*s)->n; i++)
		pass_parameter(w, &(*s)->at[i]);
	pass_parameter(w, &(*s)->result);
	if (!w->out)
		signature_limit_members(*s);
}

static void pass_marker(struct wire *w, struct marker *m)
{
	pass_flag(w, &m->is);
	PASS(w, m->semaphore);
	for (size_t i = 0; i < MARKER_VALUES && m->is; i++) {
		pass_flag(w, &m->values[i].known);
		pass_flag(w, &m->values[i].in_memory);
		m->values[i].reg = (uint8_t)pass_u32(w, m->values[i].reg, MARKER_REGISTERS + 1);
		PASS(w, m->values[i].offset);
		require(w, !m->values[i].known || m->values[i].reg < MARKER_REGISTERS);
	}
}

static void pass_zone(struct wire *w, size_t n_patterns, struct zone_def *z)
{
	pass_name(w, &z->name);
	pass_text(w, &z->linkage);
	pass_text(w, &z->file);
	PASS(w, z->line);
	z->pattern = pass_u32(w, z->pattern, n_patterns ? n_patterns : 1);
	PASS(w, z->actions);
	PASS(w, z->address);
	PASS(w, z->size);
	PASS(w, z->offset);
	pass_signature(w, &z->signature);
	PASS(w, z->arguments);
	pass_text(w, &z->dwo);
	pass_text(w, &z->dwo_folder);
	require(w, !z->dwo == !z->dwo_folder);
	pass_sites(w, &z->sites);
	pass_marker(w, &z->marker);
}

static void pass_switch(struct wire *w, struct zone_switch *z)
{
	pass_name(w, &z->name);
	PASS(w, z->address);
	PASS(w, z->size);
	PASS(w, z->offset);
	pass_sites(w, &z->sites);
}

static void pass_list(struct wire *w, size_t n_patterns, struct zonelist *l)
{
	pass_text(w, &l->problem);
	pass_text(w, &l->hijack_unsafe);
	PASS(w, l->flags);
	PASS(w, l->functions);
	PASS(w, l->matched);
	PASS_ALL(w, &l->hits, sizeof(*l->hits.at), PASS(w, *one));
	require(w, l->hits.n == n_patterns);
	PASS_ALL(w, &l->zones, LEAST_ZONE, pass_zone(w, n_patterns, one));
	PASS_ALL(w, &l->switches, LEAST_ZONE - 24, pass_switch(w, one));
	require(w, l->matched >= l->zones.n);
}

static void pass_nearest(struct wire *w, struct nearest *nearest)
{
	const uint32_t n = pass_u32(w, (uint32_t)nearest->n, NEAREST_MAX + 1);

	for (uint32_t i = 0; i < n; i++) {
		struct near near = w->out ? nearest->at[i] : (struct near){0};

		pass_name(w, &near.name);
		PASS(w, near.distance);
		if (w->out)
			continue;
		if (!w->bad)
			nearest_add(nearest, near.name, near.distance);
		free(near.name);
	}
}

static void pass_all(struct wire *w, size_t n_patterns, struct zonewire *z)
{
	PASS(w, z->task);
	pass_list(w, n_patterns, &z->list);
	pass_nearest(w, &z->nearest);
}

int zonewire_write(struct zonewire *z, int fd)
{
	struct str s = {0};
	struct wire w = {.out = &s};
	uint32_t magic = MAGIC;
	int rc;

	PASS(&w, magic);
	pass_all(&w, 0, z);
	while (s.n % 4)
		str_addc(&s, '\0');
	rc = file_put(fd, s.s, s.n);
	str_release(&s);
	return rc;
}

size_t zonewire_read(const void *bytes, size_t n, size_t n_patterns, struct zonewire *out)
{
	struct wire w = {.at = bytes, .end = (const char *)bytes + n};
	uint32_t magic;
	size_t used;

	*out = (struct zonewire){0};
	PASS(&w, magic);
	if (magic != MAGIC)
		return 0;
	pass_all(&w, n_patterns, out);
	used = (size_t)(w.at - (const char *)bytes);
	used = (used + 3) & ~(size_t)3;
	if (!w.bad && used <= n)
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
