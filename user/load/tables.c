#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <bpf/bpf.h>

#include "base/err.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/vec.h"
#include "load/pool.h"
#include "load/tables.h"
#include "sample/table.h"

/* The share of the room to free at a time, since freeing waits for all CPUs. */
#define EVICTED_SHARE 8

/* One name of a table. Names of the same lines form a ring of indices. */
struct table {
	struct wire_piece piece;
	struct wire_table at; /* no lines: unused entry */
	uint32_t twin;	      /* the next name in the ring; its own index if it is the only one */
};

struct tables {
	struct tables_maps maps;
	struct room room;
	VEC(uint8_t *) pools; /* mapped */
	int pool_fd;	      /* of the first pool */
	VEC(struct table) tables;
	VEC(uint32_t) unused; /* indices */
	struct map by_piece;  /* hash of a piece → index of the newest with that hash */
	struct map dropped;   /* hash of a piece whose table was evicted */
	uint64_t evicted;
};

static int map_pool(struct tables *t, int fd)
{
	uint8_t *lines = mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (lines == MAP_FAILED)
		return -errno;
	vec_push(&t->pools, lines);
	room_add_pool(&t->room);
	return 0;
}

/* Makes a pool visible to walkers, which look only where a table is registered. */
static int show_pool(struct tables *t, int fd)
{
	uint32_t number = (uint32_t)t->pools.n;

	return bpf_map_update_elem(t->maps.pools_fd, &number, &fd, BPF_ANY);
}

static int add_pool(struct tables *t)
{
	/* The first pool may exist since the programs were loaded. */
	int fd = pool_end(t->maps.first), ret = 0;

	t->maps.first = NULL;
	if (fd < 0) {
		fd = pool_create();
		ret = fd < 0 ? fd : show_pool(t, fd);
	}
	if (!ret)
		ret = map_pool(t, fd);
	if (!ret && t->pool_fd < 0)
		t->pool_fd = fd;
	else if (fd >= 0)
		close(fd);
	return ret ? err(ret, "cannot make room for unwind tables: %s", strerror(-ret)) : 0;
}

int tables_new(const struct tables_maps *maps, uint64_t max_bytes, struct tables **out)
{
	struct tables *t = mem_zalloc(1, sizeof(*t));
	int ret;

	t->maps = *maps;
	t->pool_fd = -1;
	if (max_bytes > TABLES_MAX_BYTES)
		max_bytes = TABLES_MAX_BYTES;
	t->room.limit = (uint32_t)(max_bytes / TABLE_LINE_BYTES);
	ret = add_pool(t);
	if (ret) {
		tables_free(t);
		return ret;
	}
	*out = t;
	return 0;
}

void tables_free(struct tables *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->pools.n; i++)
		munmap(t->pools.at[i], POOL_BYTES);
	if (t->pool_fd >= 0)
		close(t->pool_fd);
	room_release(&t->room);
	vec_release(&t->pools);
	vec_release(&t->tables);
	vec_release(&t->unused);
	map_release(&t->by_piece);
	map_release(&t->dropped);
	free(t);
}

/* --- eviction ------------------------------------------------------------------------------- */

/* A table considered for eviction. */
struct candidate {
	uint32_t index, used; /* index in tables; epoch of the last use */
};

/* One name for each table, with the latest use of all its names. */
struct candidates {
	VEC(struct candidate) at;
};

static uint32_t last_use(const struct tables *t, uint32_t index)
{
	uint32_t used = 0, i = index;

	do {
		struct wire_table now;

		if (!bpf_map_lookup_elem(t->maps.tables_fd, &t->tables.at[i].piece, &now) &&
		    now.used > used)
			used = now.used;
		i = t->tables.at[i].twin;
	} while (i != index);
	return used;
}

/* Whether @index represents its ring: the highest index does. */
static bool represents(const struct tables *t, uint32_t index)
{
	for (uint32_t i = t->tables.at[index].twin; i != index; i = t->tables.at[i].twin)
		if (i > index)
			return false;
	return true;
}

/* Least recently used first; for equal use, oldest first. */
static int by_use(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->used != y->used)
		return x->used < y->used ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

static void find_candidates(const struct tables *t, struct candidates *out)
{
	for (uint32_t i = 0; i < t->tables.n; i++)
		if (t->tables.at[i].at.lines && represents(t, i))
			vec_push(&out->at,
				 ((struct candidate){.index = i, .used = last_use(t, i)}));
	if (out->at.n)
		qsort(out->at.at, out->at.n, sizeof(*out->at.at), by_use);
}

/* Removes all names of a table from the walkers' map. */
static void forget(struct tables *t, uint32_t index)
{
	const struct wire_table at = t->tables.at[index].at;
	uint32_t i = index;
	bool fresh;

	do {
		struct table *table = &t->tables.at[i];

		bpf_map_delete_elem(t->maps.tables_fd, &table->piece);
		map_put(&t->dropped, hash_bytes(&table->piece, sizeof(table->piece)), &fresh);
		table->at.lines = 0;
		vec_push(&t->unused, i);
		i = table->twin;
	} while (i != index);
	room_give(&t->room, at.pool, at.first, at.lines);
	t->evicted++;
}

/* Waits until all walks that began before have ended. The kernel does that whenever a map in a map
 * of maps is replaced, even by itself. */
static void wait_for_walks(const struct tables *t)
{
	uint32_t first = 0;

	bpf_map_update_elem(t->maps.pools_fd, &first, &t->pool_fd, BPF_ANY);
}

/* Evicts tables that hold a share of the room, least recently used first. */
static void evict(struct tables *t)
{
	const uint32_t share = t->room.used / EVICTED_SHARE;
	const uint32_t most = t->room.used - (share ? share : 1);
	struct candidates c = {0};

	find_candidates(t, &c);
	for (size_t i = 0; i < c.at.n && t->room.used > most; i++)
		forget(t, c.at.at[i].index);
	vec_release(&c.at);
	/* Walkers cache where tables are for as long as this does not change. */
	++*t->maps.epoch;
	wait_for_walks(t);
}

void tables_tick(struct tables *t)
{
	/* A walker that marks a use writes to memory that others read, and drops its cache. So not
	 * before memory runs short. */
	if (t && t->room.used > t->room.limit / 4 * 3)
		++*t->maps.epoch;
}

/* --- tables --------------------------------------------------------------------------------- */

/* Adds a pool. Without memory for one, the existing pools must do. */
static void grow(struct tables *t)
{
	if (add_pool(t))
		t->room.limit = (uint32_t)t->pools.n * WIRE_POOL_LINES;
}

static int make_room(struct tables *t, uint32_t lines, uint32_t *pool, uint32_t *first)
{
	if (!lines || lines > WIRE_POOL_LINES || lines > t->room.limit)
		return err(-EFBIG, "unwind table of %u KiB for one piece of code: too large",
			   lines * (TABLE_LINE_BYTES / 1024));
	while (!room_take(&t->room, lines, pool, first)) {
		if (t->pools.n * WIRE_POOL_LINES < t->room.limit)
			grow(t);
		else
			evict(t);
	}
	return 0;
}

static struct table *find(const struct tables *t, const struct wire_piece *piece)
{
	const uint32_t *at = map_get(&t->by_piece, hash_bytes(piece, sizeof(*piece)));
	struct table *table = at ? &t->tables.at[*at] : NULL;

	return table && table->at.lines && !memcmp(&table->piece, piece, sizeof(*piece)) ? table
											 : NULL;
}

/* Registers the table with the walkers, and here; *@index is its index here. */
static int publish(struct tables *t, const struct wire_piece *piece, const struct wire_table *at,
		   uint32_t *index)
{
	bool fresh;
	int ret;

	ret = bpf_map_update_elem(t->maps.tables_fd, piece, at, BPF_ANY);
	if (ret)
		return err(ret, "cannot hand an unwind table to the kernel: %s", strerror(-ret));
	bpf_map_delete_elem(t->maps.wanted_fd, piece);
	if (t->unused.n) {
		*index = t->unused.at[--t->unused.n];
	} else {
		*index = (uint32_t)t->tables.n;
		vec_add(&t->tables);
	}
	t->tables.at[*index] = (struct table){.piece = *piece, .at = *at, .twin = *index};
	*map_put(&t->by_piece, hash_bytes(piece, sizeof(*piece)), &fresh) = *index;
	return 0;
}

int tables_put(struct tables *t, const struct wire_piece *piece, const uint64_t *words,
	       size_t n_words)
{
	struct wire_table at = {.lines = (uint32_t)(n_words / TABLE_LINE_WORDS),
				.used = *t->maps.epoch};
	uint32_t index;
	int ret;

	while (tables_count(t) >= WIRE_TABLES)
		evict(t);
	ret = make_room(t, at.lines, &at.pool, &at.first);
	if (ret)
		return ret;
	memcpy(at.header, words, sizeof(at.header));
	memcpy(t->pools.at[at.pool] + (size_t)at.first * TABLE_LINE_BYTES, words,
	       n_words * sizeof(*words));
	ret = publish(t, piece, &at, &index);
	if (ret)
		room_give(&t->room, at.pool, at.first, at.lines);
	return ret;
}

int tables_share(struct tables *t, const struct wire_piece *piece, const struct wire_piece *other)
{
	const struct table *known = find(t, other);
	uint32_t index, old;
	int ret;

	if (!known || tables_count(t) >= WIRE_TABLES)
		return err(-ENOENT, "no unwind table to share");
	old = (uint32_t)(known - t->tables.at);
	ret = publish(t, piece, &known->at, &index);
	if (ret)
		return ret;
	t->tables.at[index].twin = t->tables.at[old].twin;
	t->tables.at[old].twin = index;
	return 0;
}

const uint64_t *tables_get(const struct tables *t, const struct wire_piece *piece, size_t *n_words)
{
	const struct table *table = find(t, piece);

	if (!table)
		return NULL;
	*n_words = (size_t)table->at.lines * TABLE_LINE_WORDS;
	return (const uint64_t *)(t->pools.at[table->at.pool] +
				  (size_t)table->at.first * TABLE_LINE_BYTES);
}

void tables_ask_again(struct tables *t, const struct wire_piece *piece)
{
	bpf_map_delete_elem(t->maps.wanted_fd, piece);
}

void tables_copy(struct tables *t, const struct wire_piece *mapping, const struct wire_copy *copy)
{
	/* If the kernel has no memory for it, the walker asks again. */
	(void)bpf_map_update_elem(t->maps.copies_fd, mapping, copy, BPF_ANY);
	bpf_map_delete_elem(t->maps.wanted_fd, mapping);
}

void tables_script(struct tables *t, const struct wire_piece *key,
		   const struct wire_script_proc *script)
{
	(void)bpf_map_update_elem(t->maps.scripts_fd, key, script, BPF_ANY);
	bpf_map_delete_elem(t->maps.wanted_fd, key);
}

bool tables_dropped(const struct tables *t, const struct wire_piece *piece)
{
	return t && map_get(&t->dropped, hash_bytes(piece, sizeof(*piece)));
}

uint64_t tables_bytes(const struct tables *t)
{
	return t ? (uint64_t)t->room.used * TABLE_LINE_BYTES : 0;
}

size_t tables_count(const struct tables *t)
{
	return t ? t->tables.n - t->unused.n : 0;
}

uint64_t tables_evicted(const struct tables *t)
{
	return t ? t->evicted : 0;
}
