/* namebook_send() and namebook_receive(): what a child process has looked up, for the book of its
 * parent. Both are the same program, but the child has read
 * what strangers wrote: numbers and lengths are checked. */
#include "symbol/namebook.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

#define MAGIC 0x6b6f6f62656d616eull /* "namebook" */

struct head {
	uint64_t magic;
	struct namebook_mark since, upto;
	uint64_t text_bytes;
	struct namer_stats stats;
	uint64_t unopened;
};

struct namebook_mark namebook_mark(const struct namebook *b)
{
	const struct profile *p = b->names;
	struct namebook_mark m = {
		.life = b->life, .entries = b->entries.n, .entry_frames = b->frames.n};

	if (p) {
		m.strings = intern_count(&p->strings);
		m.modules = p->modules.n;
		m.functions = p->functions.n;
		m.frames = p->frames.n;
	}
	return m;
}

/* --- sending -------------------------------------------------------------------------------- */

static size_t text_at(const struct intern *in, size_t string)
{
	return string < in->start.n ? in->start.at[string] : in->bytes.n;
}

static void put(FILE *f, const void *at, size_t n, size_t bytes)
{
	if (n)
		(void)!fwrite(at, bytes, n, f);
}

#define PUT_TAIL(f, vec, from) put(f, (vec)->at + (from), (vec)->n - (from), sizeof(*(vec)->at))

static void put_unopened(FILE *f, const struct map *m)
{
	for (size_t i = 0; i < m->cap; i++)
		if (m->slots[i].used)
			put(f, &m->slots[i].key, 1, sizeof(m->slots[i].key));
}

int namebook_send(const struct namebook *b, const struct namebook_mark *since, int fd)
{
	static const struct namebook_mark nothing;
	const struct namebook_mark from = since->life == b->life ? *since : nothing;
	const struct profile *p = b->names;
	struct head head = {.magic = MAGIC,
			    .since = from,
			    .upto = namebook_mark(b),
			    .stats = b->stats,
			    .unopened = b->unopened.n};
	size_t text = p ? text_at(&p->strings, from.strings) : 0;
	int copy = dup(fd), rc;
	FILE *f = copy < 0 ? NULL : fdopen(copy, "w");

	if (!f)
		return -errno;
	head.text_bytes = p ? p->strings.bytes.n - text : 0;
	put(f, &head, 1, sizeof(head));
	put_unopened(f, &b->unopened);
	if (p) {
		put(f, p->strings.bytes.at + text, head.text_bytes, 1);
		PUT_TAIL(f, &p->modules, from.modules);
		PUT_TAIL(f, &p->functions, from.functions);
		PUT_TAIL(f, &p->frames, from.frames);
		PUT_TAIL(f, &b->entries, from.entries);
		PUT_TAIL(f, &b->frames, from.entry_frames);
	}
	rc = ferror(f) ? -EIO : 0;
	return fclose(f) ? -EIO : rc;
}

/* --- receiving ------------------------------------------------------------------------------ */

static bool get(FILE *f, void *to, size_t n, size_t bytes)
{
	return !n || fread(to, bytes, n, f) == n;
}

/* Numbers are given out in the order in which things are added, so they are the same here. */
static bool get_texts(FILE *f, struct profile *p, const struct head *h)
{
	_free_ char *texts = mem_zalloc(h->text_bytes + 1, 1);

	if (!get(f, texts, h->text_bytes, 1))
		return false;
	for (const char *s = texts; s < texts + h->text_bytes; s += strlen(s) + 1)
		intern_add(&p->strings, s);
	return intern_count(&p->strings) == h->upto.strings;
}

static bool get_modules(FILE *f, struct profile *p, const struct head *h)
{
	struct module m;

	for (size_t i = h->since.modules; i < h->upto.modules; i++) {
		if (!get(f, &m, 1, sizeof(m)) || m.path >= h->upto.strings ||
		    m.build_id >= h->upto.strings)
			return false;
		if (i)
			profile_module(p, profile_text(p, m.path), profile_text(p, m.build_id));
	}
	return p->modules.n == h->upto.modules;
}

static bool get_functions(FILE *f, struct profile *p, const struct head *h)
{
	struct function e;

	for (size_t i = h->since.functions; i < h->upto.functions; i++) {
		if (!get(f, &e, 1, sizeof(e)) || e.name >= h->upto.strings ||
		    e.linkage >= h->upto.strings || e.file >= h->upto.strings ||
		    e.module >= h->upto.modules)
			return false;
		if (i)
			profile_function(p, &e);
	}
	return p->functions.n == h->upto.functions;
}

static bool get_frames(FILE *f, struct profile *p, const struct head *h)
{
	struct frame e;

	for (size_t i = h->since.frames; i < h->upto.frames; i++) {
		if (!get(f, &e, 1, sizeof(e)) || e.function >= h->upto.functions)
			return false;
		if (i)
			profile_frame(p, &e);
	}
	return p->frames.n == h->upto.frames;
}

static bool get_entries(FILE *f, struct namebook *b, const struct head *h)
{
	const size_t entries = h->upto.entries - h->since.entries;
	const size_t frames = h->upto.entry_frames - h->since.entry_frames;

	vec_reserve(&b->entries, h->upto.entries);
	vec_reserve(&b->frames, h->upto.entry_frames);
	if ((entries && !get(f, b->entries.at + b->entries.n, entries, sizeof(*b->entries.at))) ||
	    (frames && !get(f, b->frames.at + b->frames.n, frames, sizeof(*b->frames.at))))
		return false;
	b->entries.n += entries;
	b->frames.n += frames;
	for (size_t i = h->since.entry_frames; i < b->frames.n; i++)
		if (b->frames.at[i] >= h->upto.frames)
			return false;
	for (size_t i = h->since.entries; i < b->entries.n; i++)
		if ((uint64_t)b->entries.at[i].first + b->entries.at[i].n > b->frames.n)
			return false;
	return namebook_index(b, h->since.entries);
}

static bool get_unopened(FILE *f, struct namebook *b, const struct head *h)
{
	uint64_t serial;
	bool fresh;

	for (uint64_t i = 0; i < h->unopened; i++) {
		if (!get(f, &serial, 1, sizeof(serial)))
			return false;
		map_put(&b->unopened, serial, &fresh);
	}
	return true;
}

static bool same_mark(const struct namebook_mark *a, const struct namebook_mark *b)
{
	return a->strings == b->strings && a->modules == b->modules &&
	       a->functions == b->functions && a->frames == b->frames && a->entries == b->entries &&
	       a->entry_frames == b->entry_frames;
}

/* Whether as much as [since, upto) of things of @bytes each is in what is left of the file. */
static bool takes(uint64_t *left, size_t since, size_t upto, size_t bytes)
{
	if (upto < since || (upto - since) > *left / bytes)
		return false;
	*left -= (upto - since) * bytes;
	return true;
}

/* Memory is allocated by what the head says: the file must be as long. */
static bool is_as_long(FILE *f, const struct namebook *b, const struct head *h)
{
	struct stat st;
	uint64_t left;

	if (fstat(fileno(f), &st) || st.st_size < (off_t)sizeof(*h))
		return false;
	left = (uint64_t)st.st_size - sizeof(*h);
	return takes(&left, 0, h->unopened, sizeof(uint64_t)) &&
	       takes(&left, 0, h->text_bytes, 1) && h->since.strings <= h->upto.strings &&
	       takes(&left, h->since.modules, h->upto.modules, sizeof(struct module)) &&
	       takes(&left, h->since.functions, h->upto.functions, sizeof(struct function)) &&
	       takes(&left, h->since.frames, h->upto.frames, sizeof(struct frame)) &&
	       takes(&left, h->since.entries, h->upto.entries, sizeof(*b->entries.at)) &&
	       takes(&left, h->since.entry_frames, h->upto.entry_frames, sizeof(*b->frames.at));
}

static bool get_all(FILE *f, struct namebook *b)
{
	struct namebook_mark here;
	struct head h;

	if (!get(f, &h, 1, sizeof(h)) || h.magic != MAGIC)
		return false;
	if (h.upto.life != b->life) {
		namebook_release(b);
		b->life = h.upto.life;
	}
	here = namebook_mark(b);
	if (!same_mark(&here, &h.since) || !is_as_long(f, b, &h))
		return false;
	b->stats = h.stats;
	if (!get_unopened(f, b, &h))
		return false;
	if (!h.upto.strings)
		return true;
	if (!b->names)
		b->names = profile_new();
	return get_texts(f, b->names, &h) && get_modules(f, b->names, &h) &&
	       get_functions(f, b->names, &h) && get_frames(f, b->names, &h) &&
	       !profile_check(b->names) && get_entries(f, b, &h);
}

int namebook_receive(struct namebook *b, int fd)
{
	int copy = dup(fd);
	FILE *f = copy < 0 ? NULL : fdopen(copy, "r");
	bool whole;

	if (!f)
		return -errno;
	rewind(f);
	whole = get_all(f, b);
	fclose(f);
	if (whole)
		return 0;
	namebook_release(b);
	b->life++;
	return -EINVAL;
}
