#include "symbol/namebook.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/rows.h"

/* Places of a busy machine's programs are some thousands; each takes some 100 bytes with its texts.
 */
#define MOST_ENTRIES (64u << 10)

void namebook_release(struct namebook *b)
{
	profile_free(b->names);
	vec_release(&b->entries);
	vec_release(&b->frames);
	map_release(&b->by_place);
	map_release(&b->unopened);
	*b = (struct namebook){.most = b->most, .life = b->life};
}

/* What was counted stays so. */
static void begin_anew(struct namebook *b)
{
	const struct namer_stats stats = b->stats;
	const struct map unopened = b->unopened;

	b->unopened = (struct map){0};
	namebook_release(b);
	b->stats = stats;
	b->unopened = unopened;
	b->life++;
}

/* --- what is known -------------------------------------------------------------------------- */

static uint64_t key_of(uint64_t offset, uint32_t serial, bool is_return)
{
	return hash_two(offset, (uint64_t)serial << 1 | is_return);
}

/* The slot of that place: the number of its entry, or a fresh one. */
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

bool namebook_index(struct namebook *b, size_t first)
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

/* Whether the same name will be found there in the next window. */
static bool lasts(const struct namebook *b, const struct image *image, const uint32_t *frames,
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

/* --- a run ---------------------------------------------------------------------------------- */

/* The places that have to be looked up. */
struct unknown {
	VEC(struct place) places;
	VEC(uint8_t) is_return;
	struct named named;
};

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
	if (all->images_corrupt < stats->images_corrupt)
		all->images_corrupt = stats->images_corrupt;
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

		if (image && lasts(b, image, frames, e.n))
			add_entry(b, &e, frames);
	}
	return 0;
}

static void put_out(const struct namebook *b, struct images *images, const struct place *places,
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

/* What is looked up each time takes room, too: its names. */
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
		begin_anew(b);
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
	/* From the book to the profile that is made. */
	rows_init(&r, b->names, p, NULL);
	if (!rc)
		put_out(b, images, places, is_return, n, &u, &r, out);
	named_release(&u.named);
	vec_release(&u.places);
	vec_release(&u.is_return);
	rows_release(&r);
	return rc;
}
