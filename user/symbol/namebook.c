#include "symbol/namebook.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "model/rows.h"

/* A busy machine's programs have some thousands of places; each takes some 100 bytes with its
 * strings. */
#define MOST_ENTRIES (64u << 10)

void namebook_release(struct namebook *b)
{
	profile_free(b->names);
	vec_release(&b->entries);
	vec_release(&b->frames);
	map_release(&b->by_place);
	map_release(&b->unopened);
	*b = (struct namebook){.most = b->most, .generation = b->generation};
}

/* Empties the book, but keeps its statistics. */
static void clear(struct namebook *b)
{
	const struct namer_stats stats = b->stats;
	const struct map unopened = b->unopened;

	b->unopened = (struct map){0};
	namebook_release(b);
	b->stats = stats;
	b->unopened = unopened;
	b->generation++;
}

/* --- lookup --------------------------------------------------------------------------------- */

static uint64_t key_of(uint64_t offset, uint32_t serial, bool is_return)
{
	return hash_two(offset, (uint64_t)serial << 1 | is_return);
}

/* The slot of a place in the map: holds the number of its entry, or is new. */
static uint32_t *slot_of(struct namebook *b, uint64_t offset, uint32_t serial, bool is_return,
			 bool *fresh)
{
	for (uint64_t key = key_of(offset, serial, is_return);; key++) {
		uint32_t *at = map_put(&b->by_place, key, fresh);
		const struct namebook_entry *e = *fresh ? NULL : &b->entries.at[*at];

		if (!e || (e->offset == offset && e->serial == serial && e->is_return == is_return))
			return at;
	}
}

/* Adds the entries from @first on to the map; false: one is in it already. For
 * namebook_receive(). */
static bool namebook_index(struct namebook *b, size_t first)
{
	for (size_t i = first; i < b->entries.n; i++) {
		const struct namebook_entry *e = &b->entries.at[i];
		bool fresh;
		uint32_t *at = slot_of(b, e->offset, e->serial, e->is_return != 0, &fresh);

		if (!fresh)
			return false;
		*at = (uint32_t)i;
	}
	return true;
}

static void add_entry(struct namebook *b, const struct namebook_entry *entry,
		      const uint32_t *frames)
{
	struct namebook_entry e = *entry;
	bool fresh;
	uint32_t *at = slot_of(b, e.offset, e.serial, e.is_return, &fresh);

	if (!fresh)
		return;
	*at = (uint32_t)b->entries.n;
	e.first = (uint32_t)b->frames.n;
	for (uint32_t i = 0; i < e.n; i++)
		vec_push(&b->frames, frames[i]);
	vec_push(&b->entries, e);
}

static const struct namebook_entry *find(const struct namebook *b, const struct image *image,
					 const struct place *place, bool is_return)
{
	for (uint64_t key = key_of(place->offset, image->serial, is_return);; key++) {
		const uint32_t *at = map_get(&b->by_place, key);
		const struct namebook_entry *e = at ? &b->entries.at[*at] : NULL;

		if (!e || (e->offset == place->offset && e->serial == image->serial &&
			   e->is_return == is_return))
			return e;
	}
}

/* Whether the place will have the same name in the next window. */
static bool is_stable(const struct namebook *b, const struct image *image, const uint32_t *frames,
		      uint32_t n)
{
	const struct profile *p = b->names;

	if (!n || image->kind == IMAGE_KIND_NONE || image->kind == IMAGE_KIND_JIT)
		return false;
	if (image->kind != IMAGE_KIND_KERNEL)
		return true;
	return !strcmp(
		profile_text(p,
			     p->modules.at[p->functions.at[p->frames.at[frames[0]].function].module]
				     .path),
		image->path);
}

/* --- naming --------------------------------------------------------------------------------- */

/* Places to look up. */
struct unknown {
	VEC(struct place) places;
	VEC(uint8_t) is_return;
	struct named named;
};

static void raise_to(uint32_t *n, uint32_t seen)
{
	*n = seen > *n ? seen : *n;
}

static void count(struct namebook *b, struct images *images, const struct unknown *u,
		  const struct namer_stats *stats)
{
	struct namer_stats *all = &b->stats;
	bool fresh;

	for (size_t i = 0; i < u->places.n; i++) {
		const struct image *image = images_at(images, u->places.at[i].image);

		if (image && image->fd < 0 && image->kind == IMAGE_KIND_FILE)
			map_put(&b->unopened, image->serial, &fresh);
	}
	all->places += stats->places;
	all->unnamed += stats->unnamed;
	all->put_off += stats->put_off;
	all->with_lines += stats->with_lines;
	all->inlined_frames += stats->inlined_frames;
	all->images += stats->images;
	all->images_unopened = (uint32_t)b->unopened.n;
	raise_to(&all->images_corrupt, stats->images_corrupt);
	raise_to(&all->images_zstd, stats->images_zstd);
	raise_to(&all->images_split, stats->images_split);
	raise_to(&all->images_dwp, stats->images_dwp);
	raise_to(&all->images_alt, stats->images_alt);
	if (!all->missing[0])
		memcpy(all->missing, stats->missing, sizeof(all->missing));
	/* A map is read anew in each window. */
	if (all->bad_lines < stats->bad_lines)
		all->bad_lines = stats->bad_lines;
	if (!all->first_bad)
		all->first_bad = stats->first_bad;
}

static int look_up(struct namebook *b, struct images *images, struct unknown *u)
{
	struct namer_stats stats;
	int rc = namer_run(images, u->places.at, u->is_return.at, u->places.n, b->names, &u->named,
			   &stats);

	if (rc)
		return rc;
	count(b, images, u, &stats);
	for (size_t i = 0; i < u->places.n; i++) {
		const struct place *place = &u->places.at[i];
		const struct image *image = images_at(images, place->image);
		const uint32_t *frames = &u->named.frame.at[u->named.first.at[i]];
		const struct namebook_entry e = {.offset = place->offset,
						 .serial = image ? image->serial : 0,
						 .is_return = u->is_return.at[i] != 0,
						 .n = u->named.first.at[i + 1] -
						      u->named.first.at[i]};

		if (image && is_stable(b, image, frames, e.n))
			add_entry(b, &e, frames);
	}
	return 0;
}

static void copy_out(const struct namebook *b, struct images *images, const struct place *places,
		     const uint8_t *is_return, size_t n, const struct unknown *u, struct rows *r,
		     struct named *out)
{
	size_t next = 0;

	for (size_t i = 0; i < n; i++) {
		const struct image *image = images_at(images, places[i].image);
		bool is_unknown = next < u->places.n &&
				  u->places.at[next].image == places[i].image &&
				  u->places.at[next].offset == places[i].offset &&
				  !u->is_return.at[next] == !is_return[i];
		const struct namebook_entry *e =
			is_unknown ? NULL : find(b, image, &places[i], is_return[i] != 0);
		const uint32_t *frames =
			e ? &b->frames.at[e->first] : &u->named.frame.at[u->named.first.at[next]];
		uint32_t many = e ? e->n : u->named.first.at[next + 1] - u->named.first.at[next];

		vec_push(&out->first, (uint32_t)out->frame.n);
		for (uint32_t k = 0; k < many; k++)
			vec_push(&out->frame, rows_need(r, TABLE_frames, frames[k]));
		next += is_unknown;
	}
	vec_push(&out->first, (uint32_t)out->frame.n);
}

/* Counts the names too: places that are looked up each time add names, but no entries. */
static bool is_full(const struct namebook *b)
{
	const size_t most = b->most ? b->most : MOST_ENTRIES;

	return b->entries.n >= most || (b->names && b->names->functions.n >= most);
}

int namebook_run(struct namebook *b, struct images *images, const struct place *places,
		 const uint8_t *is_return, size_t n, struct profile *p, struct named *out)
{
	struct rows r;
	struct unknown u = {0};
	int rc;

	*out = (struct named){0};
	if (is_full(b))
		clear(b);
	if (!b->names)
		b->names = profile_new();
	for (size_t i = 0; i < n; i++) {
		const struct image *image = images_at(images, places[i].image);

		if (image && find(b, image, &places[i], is_return[i] != 0))
			continue;
		vec_push(&u.places, places[i]);
		vec_push(&u.is_return, is_return[i]);
	}
	rc = look_up(b, images, &u);
	/* Copies the names from the book to the profile. */
	rows_init(&r, b->names, p, NULL);
	if (!rc)
		copy_out(b, images, places, is_return, n, &u, &r, out);
	named_release(&u.named);
	vec_release(&u.places);
	vec_release(&u.is_return);
	rows_release(&r);
	return rc;
}

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
		.generation = b->generation, .entries = b->entries.n, .entry_frames = b->frames.n};

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
	const struct namebook_mark from = since->generation == b->generation ? *since : nothing;
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

/* Numbers are assigned in the order of adding, so they are the same here. */
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

/* Whether @left has room for [since, upto) items of @bytes each; subtracts them. */
static bool takes(uint64_t *left, size_t since, size_t upto, size_t bytes)
{
	if (upto < since || (upto - since) > *left / bytes)
		return false;
	*left -= (upto - since) * bytes;
	return true;
}

/* Whether the file is as long as its head says, since that decides how much is allocated. */
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
	if (h.upto.generation != b->generation) {
		namebook_release(b);
		b->generation = h.upto.generation;
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
	b->generation++;
	return -EINVAL;
}
