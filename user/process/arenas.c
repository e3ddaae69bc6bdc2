#include "process/arenas.h"

#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"

#define PAGE 4096ull

/* More data than any glibc has. */
#define DATA_MOST (256u << 10)
/* Of one process. glibc makes eight a CPU. */
#define ARENAS_MOST 4096
/* Of states and blocks. */
#define READS_MOST 100000
#define MOST_NS	   100000000ull
/* How often an arena is read that changes meanwhile. */
#define TRIES 5

#define BINS 127

/* struct malloc_state from `top` on. */
struct state {
	uint64_t top, last_remainder;
	uint64_t bins[BINS][2]; /* lists of free blocks: the first and the last */
	uint32_t binmap[4];
	uint64_t next; /* arena; the last is followed by the main one */
	uint64_t next_free, attached;
	uint64_t system, system_most; /* bytes from the kernel */
};

/* A bin counts as a block, of which it is the links. */
#define LINKS 16

/* struct malloc_chunk. */
struct block {
	uint64_t before, size; /* low bits: flags */
	uint64_t forward, back;
};
#define SIZE_OF(size) ((size) & ~7ull)

/* At least so many bins are empty. */
#define EMPTY_LEAST 32

/* How far `top` is behind the beginning of the struct: mutex, flags, fastbins; which differs from
 * version to version. */
#define TOP_LEAST 8
#define TOP_MOST  160

/* Free blocks often lie near each other: what was read is kept in windows, each in the place that
 * its address has. */
#define WINDOW	8192u
#define WINDOWS 64u

struct window {
	uint64_t at; /* 0: none */
	char bytes[WINDOW];
};

struct reader {
	int mem;
	uint64_t until_ns;
	uint32_t reads;	 /* so far */
	uint64_t top_at; /* the offset of `top` in the struct */
	uint64_t start, end;
	char *data; /* of glibc */
	struct window *windows;
	struct arenas *out;
};

bool arenas_may_have(const char *path)
{
	const char *name = str_base(path);

	return str_starts(name, "libc.so") || str_starts(name, "libc-2.");
}

static bool read_at(const struct reader *r, uint64_t address, void *out, size_t n)
{
	return address && address <= INT64_MAX - n &&
	       pread(r->mem, out, n, (off_t)address) == (ssize_t)n;
}

static bool is_over(const struct reader *r)
{
	return r->reads > READS_MOST || clock_ns(CLOCK_MONOTONIC) > r->until_ns;
}

/* --- is it one? ------------------------------------------------------------------------------- */

/* What the links of bin @i are in a state whose `top` is at @at, while it is empty. */
static uint64_t bin_at(uint64_t at, size_t i)
{
	return at + offsetof(struct state, bins) + i * sizeof(uint64_t[2]) - LINKS;
}

static bool is_address(uint64_t at)
{
	return at && at < 1ull << 47;
}

static bool is_state(const struct state *s, uint64_t at)
{
	size_t empty = 0;

	for (size_t i = 0; i < BINS; i++) {
		const uint64_t self = bin_at(at, i);

		if ((s->bins[i][0] == self) != (s->bins[i][1] == self) ||
		    !is_address(s->bins[i][0]) || !is_address(s->bins[i][1]))
			return false;
		empty += s->bins[i][0] == self;
	}
	return empty >= EMPTY_LEAST && is_address(s->top) && s->top % 16 == 0 &&
	       is_address(s->next) && s->next % 8 == 0 && s->system % PAGE == 0 &&
	       s->system <= s->system_most && s->system_most % PAGE == 0 &&
	       is_address(s->system_most | 1);
}

/* The state of the arena at @arena; *@at: where its `top` is. */
static bool read_state(const struct reader *r, uint64_t arena, struct state *s, uint64_t *at)
{
	*at = arena + r->top_at;
	return read_at(r, *at, s, sizeof(*s)) && is_state(s, *at);
}

/* Whether the chain of arenas from @main on leads back to it. Forged data have thousands of chains
 * that do not. */
static bool closes(struct reader *r, uint64_t main)
{
	uint64_t at, arena = main;
	struct state s;

	for (size_t n = 0; n < ARENAS_MOST; n++) {
		r->reads++;
		if (is_over(r) || !read_state(r, arena, &s, &at))
			return false;
		arena = s.next;
		if (arena == main)
			return true;
	}
	return false;
}

/* Whether `top` of the main arena is at @at: then *@main is where that begins. */
static bool find_main_at(struct reader *r, uint64_t at, uint64_t *main)
{
	for (r->top_at = TOP_LEAST; r->top_at <= TOP_MOST; r->top_at += 8)
		if (closes(r, at - r->top_at)) {
			*main = at - r->top_at;
			return true;
		}
	return false;
}

static bool find_main(struct reader *r, uint64_t *main)
{
	const size_t n = (size_t)(r->end - r->start);

	for (size_t i = 0; i + sizeof(struct state) <= n && r->reads <= READS_MOST; i += 8) {
		struct state s;

		memcpy(&s, r->data + i, sizeof(s));
		if (is_state(&s, r->start + i) && find_main_at(r, r->start + i, main))
			return true;
	}
	return false;
}

/* --- what is free ----------------------------------------------------------------------------- */

struct free_memory {
	uint64_t bytes, blocks;
};

static bool read_block(struct reader *r, uint64_t at, struct block *b)
{
	const uint64_t base = at - at % WINDOW;
	struct window *w = &r->windows[base / WINDOW % WINDOWS];

	r->reads++;
	/* No window is at 0, as that says that it has none. */
	if (!is_address(at) || at < WINDOW || at % 16)
		return false;
	if (at - base > WINDOW - sizeof(*b))
		return read_at(r, at, b, sizeof(*b));
	if (w->at != base && !read_at(r, base, w->bytes, WINDOW)) {
		w->at = 0;
		return read_at(r, at, b, sizeof(*b));
	}
	w->at = base;
	memcpy(b, w->bytes + (at - base), sizeof(*b));
	return true;
}

/* Adds the blocks of a bin whose links are at @self; false: they do not agree. */
static bool walk_bin(struct reader *r, const struct state *s, uint64_t self, uint64_t first,
		     struct free_memory *sum)
{
	uint64_t before = self, at = first;
	struct block b;

	while (at != self) {
		if (is_over(r) || !read_block(r, at, &b) || b.back != before ||
		    SIZE_OF(b.size) < sizeof(b) || SIZE_OF(b.size) % 16 ||
		    SIZE_OF(b.size) > s->system - sum->bytes)
			return false;
		sum->bytes += SIZE_OF(b.size);
		sum->blocks++;
		before = at;
		at = b.forward;
	}
	return true;
}

/* What is left at the top of an arena. */
static bool read_top(struct reader *r, const struct state *s, struct free_memory *sum)
{
	struct block top;

	if (!read_at(r, s->top, &top, LINKS) || SIZE_OF(top.size) > s->system ||
	    (s->top + SIZE_OF(top.size)) % PAGE)
		return false;
	sum->bytes += SIZE_OF(top.size);
	return true;
}

/* False: it changed meanwhile. */
static bool read_free(struct reader *r, const struct state *s, uint64_t at, struct free_memory *sum)
{
	struct state again;

	*sum = (struct free_memory){0};
	for (size_t i = 0; i < WINDOWS; i++)
		r->windows[i].at = 0;
	if (!read_top(r, s, sum))
		return false;
	for (size_t i = 0; i < BINS; i++)
		if (!walk_bin(r, s, bin_at(at, i), s->bins[i][0], sum))
			return false;
	return read_at(r, at, &again, sizeof(again)) && !memcmp(s, &again, sizeof(again));
}

/* *@next: the arena behind it. */
static bool add_arena(struct reader *r, uint64_t arena, uint64_t *next)
{
	struct free_memory sum = {0};
	bool known = false, whole = false;
	struct state s, now;
	uint64_t at;

	for (int i = 0; i < TRIES && !whole && !(known && is_over(r)); i++) {
		/* A thread may be about to change a list of it. */
		if (!read_state(r, arena, &now, &at))
			continue;
		s = now;
		known = true;
		/* One that was not used yet has no top. */
		whole = !s.system || read_free(r, &s, at, &sum);
	}
	if (!known)
		return false;
	*next = s.next;
	if (!s.system)
		return true;
	r->out->n++;
	r->out->busy += !whole;
	r->out->system_bytes += s.system;
	r->out->free_bytes += sum.bytes;
	r->out->free_blocks += sum.blocks;
	return true;
}

/* --- large blocks ----------------------------------------------------------------------------- */

/* The most mappings that malloc makes, where nobody has changed that. */
#define MMAPS_MOST 65536

/* The end of struct malloc_par: … n_mmaps, n_mmaps_max, max_n_mmaps, no_dyn_threshold, in this
 * order, then what follows, at a multiple of 8. */
struct mmaps {
	uint32_t n, limit, most, fixed;
};
struct mmapped {
	uint64_t bytes, bytes_most;
	uint64_t brk; /* where the memory of the main arena begins */
};

static bool is_mmapped(const struct mmaps *n, const struct mmapped *m, const struct state *main)
{
	return n->limit == MMAPS_MOST && n->n <= n->most && n->most <= n->limit && n->fixed <= 1 &&
	       m->bytes <= m->bytes_most && m->bytes % PAGE == 0 && m->bytes_most % PAGE == 0 &&
	       m->bytes >= n->n * PAGE && is_address(m->brk) && m->brk % PAGE == 0 &&
	       m->brk < main->top && main->top - m->brk <= main->system;
}

static void find_mmapped(struct reader *r, const struct state *main)
{
	const size_t n = (size_t)(r->end - r->start);

	for (size_t i = 0; i + sizeof(struct mmaps) + 8 + sizeof(struct mmapped) <= n; i += 4) {
		const size_t behind = (i + sizeof(struct mmaps) + 7) & ~7ull;
		struct mmaps maps;
		struct mmapped m;

		memcpy(&maps, r->data + i, sizeof(maps));
		memcpy(&m, r->data + behind, sizeof(m));
		if (!is_mmapped(&maps, &m, main))
			continue;
		r->out->knows_mmapped = true;
		r->out->mmapped_bytes = m.bytes;
		r->out->mmapped_blocks = maps.n;
		return;
	}
}

static bool read_all(struct reader *r)
{
	uint64_t main, arena, at;
	bool found = false;
	struct state s;

	for (int i = 0; i < TRIES && !found; i++)
		found = read_at(r, r->start, r->data, (size_t)(r->end - r->start)) &&
			find_main(r, &main);
	if (!found)
		return false;
	if (read_state(r, main, &s, &at))
		find_mmapped(r, &s);
	arena = main;
	for (size_t n = 0; n < ARENAS_MOST; n++) {
		if (!add_arena(r, arena, &arena))
			return false;
		if (arena == main)
			return r->out->n || r->out->mmapped_blocks;
	}
	return false;
}

bool arenas_read(int mem, uint64_t start, uint64_t end, struct arenas *out)
{
	struct reader r = {.mem = mem,
			   .until_ns = clock_ns(CLOCK_MONOTONIC) + MOST_NS,
			   .start = start,
			   .end = end,
			   .out = out};
	bool found;

	*out = (struct arenas){0};
	if (start % 8 || end <= start || end - start > DATA_MOST)
		return false;
	r.data = mem_zalloc((size_t)(end - start), 1);
	r.windows = mem_zalloc(WINDOWS, sizeof(*r.windows));
	found = read_all(&r);
	free(r.data);
	free(r.windows);
	return found;
}
