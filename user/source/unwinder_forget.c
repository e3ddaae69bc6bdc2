/* unwinder_forget(): see unwinder.h. */
#include "source/unwinder.h"
#include "source/unwinder_state.h"

#include <stdlib.h>

#include "base/mem.h"

void unwinder_maker_free(struct maker *m)
{
	table_maker_free(m->maker);
	elffile_release(&m->file);
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

static void renumber(const struct map *m, const uint32_t *numbers)
{
	for (size_t i = 0; i < m->cap; i++)
		if (m->slots[i].used)
			m->slots[i].value = numbers[m->slots[i].value];
}

static void forget_entries(struct unwinder *u)
{
	_free_ uint8_t *kept = mem_zalloc(u->entries.n + 1, 1);
	_free_ uint32_t *numbers = mem_zalloc(u->entries.n + 1, sizeof(*numbers));
	size_t n = 0;

	forget_keys(u, &u->by_piece, 32, kept);
	for (size_t i = 0; i < u->entries.n; i++) {
		numbers[i] = (uint32_t)n;
		if (kept[i])
			u->entries.at[n++] = u->entries.at[i];
		else
			table_blob_release(&u->entries.at[i].own);
	}
	u->entries.n = n;
	renumber(&u->by_piece, numbers);
}

static void forget_files(struct unwinder *u)
{
	_free_ uint8_t *kept = mem_zalloc(u->files.n + 1, 1);
	_free_ uint32_t *numbers = mem_zalloc(u->files.n + 1, sizeof(*numbers));
	size_t n = 0;

	forget_keys(u, &u->file_of, 0, kept);
	for (size_t i = 0; i < u->files.n; i++) {
		numbers[i] = (uint32_t)n;
		if (kept[i])
			u->files.at[n++] = u->files.at[i];
	}
	u->files.n = n;
	renumber(&u->file_of, numbers);
}

static void forget_makers(struct unwinder *u)
{
	_free_ uint8_t *kept = mem_zalloc(u->makers.n + 1, 1);
	_free_ uint32_t *numbers = mem_zalloc(u->makers.n + 1, sizeof(*numbers));
	size_t n = 0;

	forget_keys(u, &u->makers_by_image, 0, kept);
	for (size_t i = 0; i < u->makers.n; i++) {
		numbers[i] = (uint32_t)n;
		if (kept[i])
			u->makers.at[n++] = u->makers.at[i];
		else
			unwinder_maker_free(u->makers.at[i]);
	}
	u->makers.n = n;
	renumber(&u->makers_by_image, numbers);
}

void unwinder_forget(struct unwinder *u)
{
	if (!u)
		return;
	forget_entries(u);
	forget_files(u);
	forget_makers(u);
	map_release(&u->asked);
}
