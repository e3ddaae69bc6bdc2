/* unwinder_forget(): see unwinder.h. */
#include "stack/unwinder.h"
#include "stack/unwinder_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void unwinder_maker_free(struct maker *m)
{
	table_maker_free(m->maker);
	elffile_release(&m->file);
	budget_close(&m->budget);
	free(m);
}

/* The numbers in @m of those of @n things whose image is there still, which are marked in @kept. */
static void forget_keys(const struct unwinder *u, struct map *m, unsigned image_bits, uint8_t *kept)
{
	struct map rest = {0};
	bool fresh;

	for (size_t i = 0; i < m->cap; i++) {
		const struct map_slot *slot = &m->slots[i];

		if (!slot->used || !images_at(u->images, (uint32_t)(slot->key >> image_bits)))
			continue;
		kept[slot->value] = 1;
		*map_put(&rest, slot->key, &fresh) = slot->value;
	}
	map_release(m);
	*m = rest;
}

/* Keeps, of @n things of @bytes each at @at, by whose numbers @m finds them, those whose image is
 * there still; @drop what the others hold, NULL: nothing. How many are left. */
static size_t forget(const struct unwinder *u, struct map *m, unsigned image_bits, void *at,
		     size_t n, size_t bytes, void (*drop)(void *))
{
	_free_ uint8_t *kept = mem_zalloc(n + 1, 1);
	_free_ uint32_t *numbers = mem_zalloc(n + 1, sizeof(*numbers));
	size_t left = 0;

	forget_keys(u, m, image_bits, kept);
	for (size_t i = 0; i < n; i++) {
		char *one = (char *)at + i * bytes;

		numbers[i] = (uint32_t)left;
		if (kept[i])
			memmove((char *)at + left++ * bytes, one, bytes);
		else if (drop)
			drop(one);
	}
	for (size_t i = 0; i < m->cap; i++)
		if (m->slots[i].used)
			m->slots[i].value = numbers[m->slots[i].value];
	return left;
}

#define FORGET(u, map, image_bits, vec, drop) \
	((vec)->n = forget(u, map, image_bits, (vec)->at, (vec)->n, sizeof(*(vec)->at), drop))

static void drop_entry(void *entry)
{
	table_blob_release(&((struct entry *)entry)->own);
}

static void drop_maker(void *maker)
{
	unwinder_maker_free(*(struct maker **)maker);
}

void unwinder_forget(struct unwinder *u)
{
	if (!u)
		return;
	FORGET(u, &u->by_piece, 32, &u->entries, drop_entry);
	FORGET(u, &u->file_of, 0, &u->files, NULL);
	FORGET(u, &u->makers_by_image, 0, &u->makers, drop_maker);
	map_release(&u->asked);
}
