#include "load/pool.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "base/mem.h"

struct pool_first {
	int pools_fd, fd;
	int ret; /* result of the thread */
	pthread_t thread;
};

int pool_create(void)
{
	LIBBPF_OPTS(bpf_map_create_opts, o, .map_flags = BPF_F_MMAPABLE);

	return bpf_map_create(BPF_MAP_TYPE_ARRAY, "pool_map", sizeof(uint32_t), TABLE_LINE_BYTES,
			      WIRE_POOL_LINES, &o);
}

static void *put(void *first)
{
	struct pool_first *f = first;
	uint32_t number = 0;

	f->ret = bpf_map_update_elem(f->pools_fd, &number, &f->fd, BPF_ANY);
	return NULL;
}

static void drop(struct pool_first *f)
{
	if (f->pools_fd >= 0)
		close(f->pools_fd);
	if (f->fd >= 0)
		close(f->fd);
	free(f);
}

/* The pool also serves as the kernel's template for the size of all pools. */
static int create_pools(struct pool_first *f, const struct bpf_map *pools)
{
	LIBBPF_OPTS(bpf_map_create_opts, o);

	f->fd = pool_create();
	if (f->fd < 0)
		return f->fd;
	o.inner_map_fd = (uint32_t)f->fd;
	f->pools_fd =
		bpf_map_create(bpf_map__type(pools), bpf_map__name(pools), bpf_map__key_size(pools),
			       bpf_map__value_size(pools), bpf_map__max_entries(pools), &o);
	return f->pools_fd < 0 ? f->pools_fd : 0;
}

struct pool_first *pool_begin(struct bpf_map *pools)
{
	struct pool_first *f = mem_zalloc(1, sizeof(*f));

	f->fd = f->pools_fd = -1;
	if (create_pools(f, pools) || pthread_create(&f->thread, NULL, put, f)) {
		drop(f);
		return NULL;
	}
	/* If this fails, libbpf makes its own map, without a pool. */
	if (!bpf_map__reuse_fd(pools, f->pools_fd))
		return f;
	pthread_join(f->thread, NULL);
	drop(f);
	return NULL;
}

int pool_end(struct pool_first *f)
{
	int fd;

	if (!f)
		return -ENOENT;
	pthread_join(f->thread, NULL);
	fd = f->ret ? f->ret : f->fd;
	if (!f->ret)
		f->fd = -1;
	drop(f);
	return fd;
}

/* --- lines of the pools ---------------------------------------------------------------------- */

/* The first of @n consecutive free lines; WIRE_POOL_LINES if there are none. */
static uint32_t find_run(const struct room_pool *p, uint32_t n)
{
	uint32_t first = 0;

	for (uint32_t i = 0; i < WIRE_POOL_LINES; i++) {
		if (p->taken[i])
			first = i + 1;
		else if (i + 1 - first == n)
			return first;
	}
	return WIRE_POOL_LINES;
}

bool room_take(struct room *r, uint32_t n, uint32_t *pool, uint32_t *first)
{
	for (size_t i = 0; i < r->pools.n; i++) {
		uint32_t number = (uint32_t)((r->next + i) % r->pools.n);
		struct room_pool *p = &r->pools.at[number];

		if (!n || p->free < n || (*first = find_run(p, n)) == WIRE_POOL_LINES)
			continue;
		memset(p->taken + *first, 1, n);
		p->free -= n;
		r->used += n;
		*pool = r->next = number;
		return true;
	}
	return false;
}

void room_give(struct room *r, uint32_t pool, uint32_t first, uint32_t n)
{
	struct room_pool *p = &r->pools.at[pool];

	memset(p->taken + first, 0, n);
	p->free += n;
	r->used -= n;
}

bool room_add_pool(struct room *r)
{
	uint32_t before = (uint32_t)r->pools.n * WIRE_POOL_LINES, lines;
	struct room_pool *p;

	if (before >= r->limit)
		return false;
	lines = r->limit - before < WIRE_POOL_LINES ? r->limit - before : WIRE_POOL_LINES;
	p = vec_add(&r->pools);
	memset(p->taken + lines, 1, WIRE_POOL_LINES - lines);
	p->free = lines;
	r->next = (uint32_t)r->pools.n - 1;
	return true;
}

void room_release(struct room *r)
{
	vec_release(&r->pools);
}
