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
#include "load/tables.h"
#include "unwind/table.h"

#define POOL_BYTES ((size_t)WIRE_POOL_LINES * TABLE_LINE_BYTES)

struct table {
	struct wire_piece piece;
	struct wire_table at; /* no lines: evicted */
};

struct pool {
	uint8_t *lines; /* mapped */
	uint32_t used;
};

struct tables {
	struct tables_maps maps;
	VEC(struct pool) pools;
	uint32_t current; /* the pool that is being filled */
	VEC(struct table) tables;
	struct map by_piece; /* hash of a piece → index of the newest with that hash */
	uint64_t evicted;
};

static int add_pool(struct tables *t)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "pool_map", 4, TABLE_LINE_BYTES,
				WIRE_POOL_LINES, &opts);
	uint32_t number = (uint32_t)t->pools.n;
	struct pool pool = {0};
	int ret;

	if (fd < 0)
		return err(fd, "cannot make room for unwind tables: %s", strerror(-fd));
	pool.lines = mmap(NULL, POOL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	ret = pool.lines == MAP_FAILED
		      ? -errno
		      : bpf_map_update_elem(t->maps.pools_fd, &number, &fd, BPF_ANY);
	close(fd);
	if (ret) {
		if (pool.lines != MAP_FAILED)
			munmap(pool.lines, POOL_BYTES);
		return err(ret, "cannot make room for unwind tables: %s", strerror(-ret));
	}
	t->current = number;
	vec_push(&t->pools, pool);
	return 0;
}

int tables_new(const struct tables_maps *maps, struct tables **out)
{
	struct tables *t = mem_zalloc(1, sizeof(*t));
	int ret;

	t->maps = *maps;
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
		munmap(t->pools.at[i].lines, POOL_BYTES);
	vec_release(&t->pools);
	vec_release(&t->tables);
	map_release(&t->by_piece);
	free(t);
}

/* A walk that reads a table of it at this moment may go astray, no more: lines are not trusted. */
static void empty_pool(struct tables *t, uint32_t pool)
{
	for (size_t i = 0; i < t->tables.n; i++) {
		struct table *table = &t->tables.at[i];

		if (!table->at.lines || table->at.pool != pool)
			continue;
		bpf_map_delete_elem(t->maps.tables_fd, &table->piece);
		table->at.lines = 0;
		t->evicted++;
	}
	t->pools.at[pool].used = 0;
}

/* Makes the current pool one that has room for @lines. */
static int make_room(struct tables *t, uint32_t lines)
{
	if (t->pools.at[t->current].used + lines <= WIRE_POOL_LINES)
		return 0;
	if (t->pools.n < WIRE_POOLS)
		return add_pool(t);
	t->current = (t->current + 1) % WIRE_POOLS;
	empty_pool(t, t->current);
	return 0;
}

static void remember(struct tables *t, const struct table *table)
{
	bool fresh;

	*map_put(&t->by_piece, hash_bytes(&table->piece, sizeof(table->piece)), &fresh) =
		(uint32_t)t->tables.n;
	vec_push(&t->tables, *table);
}

int tables_put(struct tables *t, const struct wire_piece *piece, const uint64_t *words,
	       size_t n_words)
{
	uint32_t lines = (uint32_t)(n_words / TABLE_LINE_WORDS);
	struct table table = {.piece = *piece};
	struct pool *pool;
	int ret;

	if (n_words / TABLE_LINE_WORDS > WIRE_POOL_LINES)
		return err(-EFBIG, "unwind table of %zu bytes for one piece of code", n_words * 8);
	ret = make_room(t, lines);
	if (ret)
		return ret;
	pool = &t->pools.at[t->current];
	table.at = (struct wire_table){.pool = t->current, .first = pool->used, .lines = lines};
	memcpy(table.at.header, words, sizeof(table.at.header));
	memcpy(pool->lines + (size_t)pool->used * TABLE_LINE_BYTES, words,
	       n_words * sizeof(*words));
	ret = bpf_map_update_elem(t->maps.tables_fd, piece, &table.at, BPF_ANY);
	if (ret)
		return err(ret, "cannot hand an unwind table to the kernel: %s", strerror(-ret));
	pool->used += lines;
	bpf_map_delete_elem(t->maps.wanted_fd, piece);
	remember(t, &table);
	return 0;
}

const uint64_t *tables_get(const struct tables *t, const struct wire_piece *piece, size_t *n_words)
{
	const uint32_t *at = map_get(&t->by_piece, hash_bytes(piece, sizeof(*piece)));
	const struct table *table = at ? &t->tables.at[*at] : NULL;

	if (!table || !table->at.lines || memcmp(&table->piece, piece, sizeof(*piece)) != 0)
		return NULL;
	*n_words = (size_t)table->at.lines * TABLE_LINE_WORDS;
	return (const uint64_t *)(t->pools.at[table->at.pool].lines +
				  (size_t)table->at.first * TABLE_LINE_BYTES);
}

void tables_ask_again(struct tables *t, const struct wire_piece *piece)
{
	bpf_map_delete_elem(t->maps.wanted_fd, piece);
}

uint64_t tables_bytes(const struct tables *t)
{
	uint64_t lines = 0;

	for (size_t i = 0; i < t->pools.n; i++)
		lines += t->pools.at[i].used;
	return lines * TABLE_LINE_BYTES;
}

size_t tables_count(const struct tables *t)
{
	return t->tables.n - t->evicted;
}

uint64_t tables_evicted(const struct tables *t)
{
	return t->evicted;
}
